"""What each tool takes: every argument with its meaning, unit, range and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from council_vault.briefing.brief import MOST_CASES
from council_vault.briefing.quality import POOL
from council_vault.context import DEFAULT_BUDGET
from council_vault.learning.history import LAST
from council_vault.mcp_server.schemas import by_model, fields_of_file, number, one_of, takes, text
from council_vault.mcp_server.views import View
from council_vault.memory import vocabulary

if TYPE_CHECKING:
    from council_vault.mcp_server.schemas import Schema

_NEVER_KEPT = "It is counted and compared, and never kept."
_TIME = "2026-03-28T14:30:00Z"
_ID = "d_20260328_001"
_MODEL = "anthropic/claude-sonnet-4"
_OTHER = "openai/gpt-4.1"


def _whole(description: str, low: int, high: int | None = None, **more: object) -> Schema:
    return {**number(description, low, high, **more), "type": "integer"}


def _flag(description: str, **more: object) -> Schema:
    return {"type": "boolean", "description": description, **more}


def _texts(description: str, **more: object) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description, **more}


_RANK: Schema = {"type": "number", "minimum": 1}
_BALLOT: Schema = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "description": "Ids of models, the best first."},
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"model": {"type": "string"}, "rank": _RANK},
                "required": ["model", "rank"],
            },
            "description": "A model and its rank each; 1 is best.",
        },
    ]
}

LOG_DELIBERATION = takes(
    {
        "query_text": text(f"Required. The question, whole. {_NEVER_KEPT}", minLength=1),
        "models_used": _texts(
            "Required. Ids of the models that were asked, each once; one alone is a single answer.",
            minItems=1,
            uniqueItems=True,
            examples=[[_MODEL, _OTHER]],
        ),
        "stage1_responses": by_model(
            f"Each model's own answer; null where it gave none. {_NEVER_KEPT}",
            {"type": ["string", "null"]},
        ),
        "rankings": by_model(
            "Rank of each model's answer by its peers, 1 is best. Left out, it is made from the ballots.",
            _RANK,
        ),
        "chairman": text("Id of the model that wrote the synthesis.", examples=[_MODEL]),
        "confidence": number(
            "How sure the council was, 0 to 1. Left out, it is made from the ballots.", 0, 1
        ),
        "consensus_level": one_of(
            vocabulary.CONSENSUS_LEVELS,
            "How far the reviewers agreed. Left out, it is made from the ballots.",
        ),
        "protocol_used": one_of(vocabulary.PROTOCOLS, "How the council came to its result."),
        "cost_usd": number("What all of it cost, in USD.", 0),
        "latency_ms": number("How long all of it took, in milliseconds.", 0),
        "reviewer_rankings_raw": by_model(
            'The ballots: each reviewer\'s ranking, with ids of models and not labels such as "Response A".',
            _BALLOT,
        ),
        "synthesis_text": text(f"The chairman's synthesis, whole. {_NEVER_KEPT}"),
        "top_individual_response": text(f"The answer that was ranked best, whole. {_NEVER_KEPT}"),
        "routing_decision": {
            "description": "What route_query had said: its word, or its whole result. "
            "Left out, the person has asked for the council, or for the one model, without it.",
            "anyOf": [
                {"type": "string", "enum": list(vocabulary.ROUTING_DECISIONS)},
                {"type": "object"},
            ],
        },
        "routing_source": one_of(
            vocabulary.ROUTING_SOURCES, "By what it was decided, if routing_decision is a word."
        ),
        "routing_confidence": number("How sure the router was, 0 to 1, if routing_decision is a word.", 0, 1),
        "vault_context_loaded": _flag("Whether the council was given vault_context."),
        "query_summary": text(
            "The question in other words, below 80 characters. This is kept, and shown in the vault: leave "
            "out what must not be."
        ),
        "timestamp": text(
            "When it ended, in ISO 8601; without a zone it is UTC. Left out: now.", examples=[_TIME]
        ),
        "outcome": one_of(vocabulary.OUTCOMES, "What became of the result. Left out: accepted."),
        "stage_costs": {
            "type": "object",
            "properties": {
                "collect": number("Asking the models, in USD.", 0),
                "review": number("The reviews, in USD.", 0),
                "synthesize": number("The synthesis, in USD.", 0),
            },
            "description": "What each stage cost; together no more than cost_usd.",
        },
    },
    ("query_text", "models_used"),
    more=True,
)

RATE_DELIBERATION = takes(
    {
        "text": text(
            'Required. What the person says of the answer, in their own words or signs: "nailed it", '
            '"not helpful", "okay", 👍. Only words that were meant for it: never rate by yourself.'
        ),
        "id": text("The record to rate. Left out: the most recent one.", examples=[_ID]),
    },
    ("text",),
)

ROUTE_QUERY = takes(
    {
        "query": text("Required. The question, whole. It is not kept."),
        "budget_usd": number(
            "What this deliberation may cost, in USD. Left out: what the person has set.", 0, examples=[0.25]
        ),
    },
    ("query",),
)

COUNCIL_STATS = takes(
    {
        "view": one_of(
            get_args(View),
            "summary: totals, categories, ratings, router, vault, models and what was last. models: where "
            "each stands. history: the most recent deliberations. cost: what was spent and is left of the "
            "budget. optimization: how optimizing the council's prompts has gone. benchmarks: rated "
            "deliberations that a changed prompt can be tried on.",
            default="summary",
        ),
        "last": _whole("How many deliberations history shows.", 1, default=LAST),
    }
)

REBUILD_ROUTER = takes({})

SYNC_VAULT = takes(
    {
        "dry_run": _flag("Show what would change, as a unified diff, and write nothing.", default=False),
        "full": _flag("Bring back rows that the person has deleted from the log.", default=False),
        "adopt_vault": _flag("Use another vault than before. Ask the person first.", default=False),
        "adopt_log": _flag(
            "Take over a log note that belongs to another memory. Ask the person first.", default=False
        ),
    }
)

COUNCIL_BRIEF = takes(
    {
        "directive": text("Required. What is to be deliberated, whole. It is only kept if save is true."),
        "k": _whole("How many past deliberations to rest it on at most.", 1, POOL, default=MOST_CASES),
        "ledger": text("Path of another ledger's database than the person has set."),
        "save": _flag("Also write it into the vault, as a note. Ask the person first.", default=False),
    },
    ("directive",),
)

_REQUIRED_OF_EXPERIMENTS = ("variable_modified", "modification_type", "decision")


def _experiment() -> Schema:
    fields = fields_of_file("Experiment")
    for name in ("baseline_pass_rate", "modified_pass_rate"):
        fields[name]["description"] += " Required unless the decision is skip."
    for name in _REQUIRED_OF_EXPERIMENTS:
        fields[name]["description"] = f"Required. {fields[name]['description']}"
    return takes(fields, _REQUIRED_OF_EXPERIMENTS, more=True)


LOG_EXPERIMENT = _experiment()

VAULT_CONTEXT = takes(
    {
        "query": text("Required. The question, whole: it may name projects. It is not kept."),
        "budget_tokens": _whole(
            "At most so much; four characters count as a token.", 1, default=DEFAULT_BUDGET
        ),
    },
    ("query",),
)

_PROSE: Schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def _prose(description: str) -> Schema:
    return {**_PROSE, "description": f"{description} Markdown, or several texts, which become a list."}


WRITE_DECISION = takes(
    {
        "deliberation_id": text(
            "Required. Id of the deliberation, as log_deliberation returned it.", examples=[_ID]
        ),
        "title": text("What was decided, in a few words. Left out: the record's summary."),
        "query": _prose("The question. Left out, it is not in the note."),
        "chairman": text(
            "Id of the model that wrote the synthesis. Left out: the record's.", examples=[_MODEL]
        ),
        "rationale": _prose("Why it was decided so."),
        "agreements": _prose("What the council agreed on."),
        "disagreements": _prose("What it did not agree on."),
        "outcome": _prose("What came of it. Left out: the record's."),
        "cost_usd": number("What the deliberation cost, in USD. Left out: the record's.", 0),
        "project": text("Name of the project's folder in the vault. Left out: none."),
        "category": text(
            "The kind of question. Left out: the record's.", examples=[vocabulary.CATEGORIES[0]]
        ),
        "participants": _texts("Ids of the models, and who else took part. Left out: the record's models."),
        "date": text("The day of the decision. Left out: that of the deliberation.", examples=[_TIME[:10]]),
    },
    ("deliberation_id",),
    more=True,
)
