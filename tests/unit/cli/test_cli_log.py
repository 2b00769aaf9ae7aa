"""``log``: a deliberation from a file or a pipe."""

from __future__ import annotations

import codecs
import io
import json
import sys

import pytest

from council_vault.learning.log_input import LogInput
from support.deliberations import MODELS, answer, deliberation
from support.memory_files import record


def text(number=1, **fields) -> str:
    return json.dumps(deliberation(number, **fields))


@pytest.fixture
def piped(program, monkeypatch):
    """Run a command with something piped into it."""

    def run(data, *arguments):
        content = data if isinstance(data, bytes) else data.encode(errors="surrogatepass")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return program(*arguments)

    return run


def test_the_new_id_is_printed_and_nothing_else(program, piped):
    ran = piped(text(), "log")
    (kept,) = program.parsed()["deliberations"]
    assert ran == (0, kept["id"] + "\n", "")


def test_with_json_the_record_is(program, piped):
    ran = piped(text(), "log", "-", "--json")
    assert [ran.json] == program.parsed()["deliberations"]
    assert ran.json["models_used"] == list(MODELS)


def test_from_a_file(program, tmp_path):
    given = tmp_path / "given.json"
    given.write_text(text())
    assert program("log", given).code == 0
    assert len(program.parsed()["deliberations"]) == 1


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_in_other_encodings_with_their_mark(codec, program, piped):
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(codec, b"")
    query = "Wofür ist ein Bloom-Filter — gut?"
    data = json.dumps(deliberation(query_text=query), ensure_ascii=False).encode(codec)
    assert piped(mark + data, "log").code == 0
    assert program.parsed()["deliberations"][0]["query_features"]["length"] == len(query)


def test_the_fifth_brings_the_vault_up_to_date_and_says_so_beside_the_result(program, piped):
    program.make_vault()
    rans = [piped(text(number), "--vault", program.vault, "log") for number in range(1, 6)]
    assert [bool(ran.err) for ran in rans] == [False, False, False, False, True]
    assert rans[-1].err == (
        "Vault synced: updated model performance, routing intelligence, and 5 new deliberation log entries.\n"
    )
    assert rans[-1].out.split()[0] in program.log()


def test_without_a_vault_the_fifth_warns(program, piped):
    rans = [piped(text(number), "log") for number in range(1, 6)]
    assert {ran.code for ran in rans} == {0}
    assert rans[-1].out.startswith("d_")
    assert "The vault was not synced: no vault was found" in rans[-1].err


def test_logged_already(program, piped):
    first = piped(text(), "log")
    again = piped(text(), "log")
    assert again == (0, first.out, "It had been logged already; nothing was added.\n")
    assert len(program.parsed()["deliberations"]) == 1


def test_a_single_answer_asked_again(program, piped):
    first = piped(json.dumps(answer()), "log")
    second = piped(text(), "log")
    assert (
        f"{first.out.strip()} was a single answer to the same query; it is rated negative now." in second.err
    )


def test_verbose_says_that_the_router_was_rebuilt(program, piped):
    program.write_memory(*(record(number) for number in range(1, 20)))
    assert "rebuilt" in piped(text(), "log", "-v").err
    assert program.parsed()["routing_model"]["sample_size"] == 20


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "standard input: the input is empty"),
        ("{", "standard input, line 1, column 2: the input ends too early"),
        ('{"query_text": "a",\n "models_used": [x]}', "line 2, column 18: the input is not valid JSON"),
        ("[1]", "expected an object at the top of the input, got a list"),
        ('"text"', "expected an object at the top of the input"),
        (b"\xff\xfe\x00", "the text is not valid UTF-16"),
        (b'{"query_text": "\xff"}', "the text is not valid UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"query_text": "a", "query_text": "b"}', 'the key "query_text" stands twice'),
        ('{"models_used": ["a"]}', "query_text: required, but missing"),
        (text(confidence=float("nan")), "confidence: expected a number from 0 to 1"),
        (text(confidence=1.01), "confidence: expected a number from 0 to 1"),
        (text(rankings={"stranger": 1}), 'rankings["stranger"]'),
        (text(cost_usd=-1, latency_ms="soon"), "cost_usd"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(data, said, program, piped):
    program.write_memory(record(1))
    before = program.memory.read_bytes()
    ran = piped(data, "log")
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert program.memory.read_bytes() == before


def test_all_wrong_fields_are_named(piped):
    ran = piped(text(cost_usd=-1, latency_ms="soon", outcome="good"), "log")
    assert all(name in ran.err for name in ("cost_usd", "latency_ms", "outcome"))


def test_bad_input_creates_no_memory(program, piped):
    assert piped("{}", "log").code == 2
    assert not program.memory.exists()


def test_a_file_that_cannot_be_read(program, tmp_path):
    assert program("log", tmp_path / "none.json").err == (
        f"council-vault: {tmp_path / 'none.json'}: it cannot be read: No such file or directory\n"
    )
    assert program("log", tmp_path).code == 2


@pytest.mark.parametrize("stdin", ["terminal", None])
def test_without_input_it_says_what_it_expects_and_waits_for_nothing(stdin, program, monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(b"{}")) if stdin else None)
    ran = program("log")
    assert ran.code == 2
    assert '"query_text" and "models_used"' in ran.err


def test_a_memory_file_that_is_broken(program, piped):
    program.write_bytes(b"{")
    ran = piped(text(), "log")
    assert ran.code == 4
    assert "council-vault restore" in ran.err
    assert program.memory.read_bytes() == b"{"


def test_the_help_names_the_fields_of_the_input(program):
    out = program("log", "--help").out
    ours = {
        "query_summary",
        "outcome",
        "stage_costs",
        "vault_context_loaded",
        "routing_source",
        "routing_confidence",
    }
    assert {name for name in LogInput.__struct_fields__ if name not in out} <= ours
