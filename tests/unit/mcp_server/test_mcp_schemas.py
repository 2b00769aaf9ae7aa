"""What the tools say of what they take and give is what the program takes and gives."""

from __future__ import annotations

import msgspec
import pytest

from council_vault.errors import InputError
from council_vault.learning.experiments import read_experiment
from council_vault.learning.log_input import LogInput, read_log_input
from council_vault.mcp_server import inputs
from council_vault.mcp_server.schemas import gives, gives_record
from council_vault.mcp_server.tools import TOOLS
from council_vault.memory.schema import Deliberation, Experiment
from council_vault.notes.decision_input import Decision, read_decision
from support.deliberations import deliberation


@pytest.mark.parametrize(
    ("schema", "taken"),
    [
        (inputs.LOG_DELIBERATION, LogInput),
        (inputs.LOG_EXPERIMENT, Experiment),
        (inputs.WRITE_DECISION, Decision),
    ],
)
def test_every_field_is_described_and_no_other(schema, taken):
    assert set(schema["properties"]) == set(taken.__struct_fields__)


@pytest.mark.parametrize(
    ("schema", "read", "least"),
    [
        (inputs.LOG_DELIBERATION, read_log_input, {"query_text": "Why?", "models_used": ["a"]}),
        (
            inputs.LOG_EXPERIMENT,
            read_experiment,
            {"variable_modified": "v", "modification_type": "remove", "decision": "skip"},
        ),
        (inputs.WRITE_DECISION, read_decision, {"deliberation_id": "d_20260328_001"}),
    ],
)
class TestWhatIsHandedOver:
    def test_what_is_required_is_enough_and_none_of_it_can_be_left_out(self, schema, read, least):
        assert set(schema["required"]) == set(least)
        read(least)
        for name in least:
            with pytest.raises(InputError, match=f"^{name}: required"):
                read({key: value for key, value in least.items() if key != name})

    def test_every_word_and_example_is_understood(self, schema, read, least):
        enough = {**least, "baseline_pass_rate": 0.5, "modified_pass_rate": 0.5}  # unless it was skipped
        for name, field in schema["properties"].items():
            for value in (*filter(None, field.get("enum", ())), *field.get("examples", ())):
                read({**enough, name: value})

    def test_the_ends_of_each_range_are_allowed_and_no_more(self, schema, read, least):
        for name, field in schema["properties"].items():
            for end, step in (("minimum", -1), ("maximum", 1)):
                if end in field:
                    read({**least, name: field[end]})
                    with pytest.raises(InputError, match=f"^{name}: "):
                        read({**least, name: field[end] + step})

    def test_what_may_be_left_out_may_be_null(self, schema, read, least):
        read({**dict.fromkeys(schema["properties"]), **least})


def test_a_ballot_can_be_given_in_both_ways():
    ways = inputs.LOG_DELIBERATION["properties"]["reviewer_rankings_raw"]["additionalProperties"]["anyOf"]
    assert [way["items"]["type"] for way in ways] == ["string", "object"]
    models = deliberation()["models_used"]
    ranked = [{"model": model, "rank": place} for place, model in enumerate(models, start=1)]
    read = [
        read_log_input(deliberation(reviewer_rankings_raw={models[0]: ballot})) for ballot in (models, ranked)
    ]
    assert read[0] == read[1]


class Inner(msgspec.Struct):
    """Something within; ``None`` is unknown."""

    size: int | None = None


class Outer(msgspec.Struct):
    """Something.

    It has ``parts``.

    Attributes:
        parts: what it is made of, however
            many they are.
        name: ``None`` where it has none.
    """

    parts: tuple[Inner, ...] = ()
    name: str | None = None
    more: bool = False


def test_a_result_is_described_by_what_its_type_says():
    schema = gives(Outer)
    messages = schema["properties"].pop("messages")
    assert messages["items"] == {"type": "string"}
    assert schema == {
        "type": "object",
        "description": "Something. It has `parts`.",
        "properties": {
            "parts": {
                "type": "array",
                "items": {"$ref": "#/$defs/Inner"},
                "description": "what it is made of, however many they are.",
            },
            "name": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "`null` where it has none.",
            },
            "more": {"type": "boolean"},
        },
        "required": ["parts", "name", "more"],
        "$defs": {
            "Inner": {
                "type": "object",
                "description": "Something within; `null` is unknown.",
                "properties": {"size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
                "required": ["size"],
            }
        },
    }


def test_a_record_is_described_with_all_that_is_in_it_and_nothing_else():
    schema = gives_record("Deliberation")
    assert set(schema["properties"]) == {"messages", *Deliberation.__struct_fields__}
    assert set(schema["definitions"]) == {"QueryFeatures", "StageCosts"}
    assert "definitions" not in gives_record("Experiment")


def test_nothing_of_a_docstring_s_form_is_in_what_agents_read():
    for tool in TOOLS.values():
        shown = str((tool.description, tool.takes, tool.gives))
        assert "``" not in shown
        assert "Attributes:" not in shown
