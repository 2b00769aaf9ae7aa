"""Files of other councils, as their programs write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

ALICE, BOB, CAROL, DAVE = COUNCIL = ("a/alice", "b/bob", "c/carol", "d/dave")
QUESTION = "Which lighthouse keeper polishes the third brass lantern at midnight?"
ANSWERS = {
    ALICE: "Ferdinand polishes it because his ladder is the tallest.\n\nHe begins with the copper rim.",
    BOB: "Nobody does, since the lantern was sold to a museum in Trondheim.\n\nAsk the curator instead.",
    CAROL: "Wilhelmina polishes it, and she hums an old ballad about herring.\n\nHer cloth is woollen.",
    DAVE: "The apprentice polishes it with vinegar.\n\nVinegar dulls the varnish within a decade.",
}
SYNTHESIS = "Wilhelmina polishes it at midnight.\n\nOne view differs: the lantern may be in Trondheim."


def final_ranking(letters: Iterable[str]) -> str:
    """Return a review that ends in a list, as the prompt of most councils asks for."""
    lines = [f"{number}. Response {letter}" for number, letter in enumerate(letters, 1)]
    return "Response A is thorough.\n\nResponse B is not.\n\nFINAL RANKING:\n" + "\n".join(lines)


def stages(
    answers: Mapping[str, Any] = ANSWERS, orders: Mapping[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return the three stages of a deliberation; ``orders`` are the letters that each reviewer lists."""
    if orders is None:
        orders = {ALICE: "CABD", BOB: "CBAD", CAROL: "CADB", DAVE: "ACBD"}
    return {
        "stage1": [{"model": model, "response": text} for model, text in answers.items()],
        "stage2": [
            {"model": model, "ranking": final_ranking(letters), "parsed_ranking": []}
            for model, letters in orders.items()
        ],
        "stage3": {"model": CAROL, "response": SYNTHESIS},
        **more,
    }


def asked(question: str = QUESTION, **more: Any) -> dict[str, Any]:
    """Return the message of a person."""
    return {"role": "user", "content": question, **more}


def answered(**more: Any) -> dict[str, Any]:
    """Return the message of a council."""
    return {"role": "assistant", **stages(), **more}


def conversation(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a conversation; with one deliberation, unless told otherwise."""
    return {
        "id": "2f1d",
        "created_at": "2026-03-01T10:20:30.123456",
        "title": "New Conversation",
        "messages": list(messages) or [asked(), answered()],
        **fields,
    }


def events(run: str = "r1", question: str = QUESTION) -> list[dict[str, Any]]:
    """Return the events of a deliberation in which each reviewer has labels of its own."""
    names = {"Alice": ALICE, "Bob": BOB, "Carol": CAROL}
    ballots = {
        "Alice": {"Response A": "Carol", "Response B": "Bob"},
        "Bob": {"Response A": "Alice", "Response B": "Carol"},
        "Carol": {"Response A": "Bob", "Response B": "Alice"},
    }
    orders = {"Alice": "AB", "Bob": "BA", "Carol": "BA"}
    told = [
        {
            "type": "config",
            "question": question,
            "config": {
                "council_models": [{"name": name, "model_id": id_} for name, id_ in names.items()],
                "chairman": {"name": "Carol", "model_id": CAROL},
            },
            "timestamp": "2026-03-02T08:00:00+02:00",
        },
        *(
            {
                "type": "stage1_response",
                "model": name,
                "response": ANSWERS[id_],
                "timestamp": "2026-03-02T08:00:30+02:00",
            }
            for name, id_ in names.items()
        ),
        *(
            {
                "type": "stage2_ranking",
                "model": name,
                "ranking_text": 'Good.\n\n```json\n{"ranking": '
                + json.dumps([f"Response {letter}" for letter in orders[name]])
                + "}\n```",
                "parsed_ranking": [f"Response {letter}" for letter in orders[name]],
                "label_mapping": labels,
            }
            for name, labels in ballots.items()
        ),
        {"type": "aggregation", "rankings": [{"model": "Carol", "average_rank": 1.0}]},
        {"type": "stage3_synthesis", "model": "Carol", "response": SYNTHESIS},
        {"type": "summary", "elapsed_seconds": 12.3456},
    ]
    return [{**event, "run_id": run} for event in told]


def as_lines(values: Iterable[Any]) -> str:
    """Return values as JSON, one a line."""
    return "".join(json.dumps(value) + "\n" for value in values)


def put(path: Path, value: Any) -> Path:
    """Write a value as a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path
