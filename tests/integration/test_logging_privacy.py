"""What a council was asked and what it answered is in no file that the program writes."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys

import pytest

from council_vault.cli.main import main
from council_vault.errors import InputError
from council_vault.learning.log_input import read_log_input
from council_vault.operations.log import log
from support.deliberations import deliberation
from support.syncing import Road

QUERIES = (
    "Should we acquire Initech quietly?",
    "Compare the tradeoffs of firing Bob and promoting Alice before the audit in Lisbon next March",
    "Ist die Übernahme von Müller & Söhne vor der Prüfung sinnvoll?",
    "what is zork",
    "我们应该在三月之前收购竞争对手吗？请比较利弊",
    "האם כדאי לרכוש את החברה לפני סוף השנה",
    "Query | with [[links]] %% and `code`\nover two lines",
)
ANSWERS = {
    "openai/gpt-4o": "Buy the company before winter comes. Nobody must know about the second ledger!",
    "anthropic/claude-sonnet-4": "Wait until the regulators have left town. Pay Carol in small installments?",
    "google/gemini-2.0-flash": "- Move the servers to the basement\n- Tell the auditors a simple story",
    "x-ai/grok-3": "<think>They will never find out</think>",
}
SYNTHESIS = (
    "The panel disagrees on the acquisition of the rival firm. However, moving the servers at night is wise. "
    "Buy the company before winter comes."
)


def given(query, **fields):
    return deliberation(
        query_text=query,
        stage1_responses=ANSWERS,
        synthesis_text=SYNTHESIS,
        top_individual_response=ANSWERS["openai/gpt-4o"],
        **fields,
    )


def secrets(query):
    """The query, every line of it, and every sentence of the answers and the synthesis."""
    texts = [SYNTHESIS, *ANSWERS.values()]
    sentences = [part for text in texts for part in re.split(r"[.!?\n<>]+", text)]
    return [
        part.strip(" -") for part in (query, *query.splitlines(), *sentences) if len(part.strip(" -")) > 8
    ]


def everything(road):
    """The content of every file there is, compressed ones unpacked, as text with and without escapes."""
    for path in road.base.rglob("*"):
        if path.is_file() and "given" not in path.name:
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
            text = data.decode("utf-8", errors="replace")
            yield path, text
            if "\\u" in text:
                yield path, re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), text)


def assert_nothing_given_away(road, query):
    seen = 0
    for path, text in everything(road):
        seen += 1
        for secret in secrets(query):
            assert secret.casefold() not in text.casefold(), path
    return seen


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("summary", [None, "the query", "an answer"])
def test_nothing_of_it_is_in_any_file(query, summary, tmp_path):
    road = Road(tmp_path)
    road.settings["sync"] = {"every": 1}
    fields = {
        "query_summary": {"the query": query, "an answer": "Buy the company before winter comes"}.get(summary)
    }
    outcome = log(road.workspace(), read_log_input(given(query, **fields)), road.now)
    assert outcome.followed.synced.entries == 1
    assert assert_nothing_given_away(road, query) > 10


def run(road, document, *options):
    """Log as a process of its own, everything said."""
    command = [
        sys.executable,
        "-m",
        "council_vault.cli.main",
        "-v",
        "--workspace",
        road.folder,
        "--vault",
        road.vault,
    ]
    return subprocess.run(
        [*map(str, command), "log", *options],
        input=json.dumps(document),
        env=road.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_nor_in_what_a_whole_process_says_and_leaves(road):
    query = QUERIES[1]
    ran = run(road, given(query), "--json")
    assert ran.returncode == 0, ran.stderr
    for text in (ran.stdout, ran.stderr):
        assert not any(secret in text for secret in secrets(query))
    assert_nothing_given_away(road, query)
    assert len(road.parsed()["deliberations"]) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"confidence": "Buy the company before winter comes"},
        {"confidence": float("nan")},
        {"models_used": ["Buy the company before winter comes."] * 2},
        {"rankings": {"Should we acquire Initech quietly?": 1}},
        {"Should we acquire Initech quietly?": 1},
        {"timestamp": "Should we acquire Initech quietly?"},
        {"outcome": SYNTHESIS},
        {"routing_decision": SYNTHESIS},
        {"query_summary": [SYNTHESIS]},
        {"stage_costs": {SYNTHESIS: SYNTHESIS}},
    ],
)
def test_nor_when_the_input_is_refused(fields, road):
    query = QUERIES[0]
    before = road.memory.read_bytes()
    ran = run(road, given(query) | fields)
    if ran.returncode:
        assert ran.returncode == 2
        assert road.memory.read_bytes() == before
    assert_nothing_given_away(road, query)


def test_an_input_does_not_show_what_it_holds():
    shown = repr(read_log_input(given(QUERIES[0])))
    assert not any(secret in shown for secret in secrets(QUERIES[0]))


def test_an_error_of_a_text_names_the_field_and_not_the_text():
    with pytest.raises(InputError) as raised:
        read_log_input(given(QUERIES[0], confidence=SYNTHESIS))
    assert raised.value.where == "confidence"
    assert not any(secret in str(raised.value) for secret in secrets(QUERIES[0]))


_UNSPACED = "我们应该在三月之前收购竞争对手吗"


@pytest.mark.parametrize("text", [_UNSPACED, "Should we acquire Initech quietly?"])
@pytest.mark.parametrize(
    "document",
    [
        '"{}"',
        '{{"{}": 1, "{}": 2}}',
        '{{"models_used": "{}"}}',
        '{{"query_text": "q", "models_used": ["a", "b"], "confidence": "{}"}}',
        '{{"query_text": "q", "models_used": ["a", "b"], "routing_decision": "{}"}}',
        '{{"query_text": "q", "models_used": ["a", "b"], "timestamp": "{}"}}',
        '{{"query_text": "q", "models_used": ["a", "b"], "outcome": {{"{}": 1}}}}',
        '{{"query_text": "q", "models_used": ["a", "b"], "query_summary": {}}}',
    ],
)
def test_what_is_said_of_a_refused_input_holds_no_text_that_stands_in_the_wrong_place(
    document, text, tmp_path, capsys, monkeypatch
):
    file = tmp_path / "given.json"
    file.write_text(document.format(text, text), "utf-8")
    monkeypatch.setattr(sys, "argv", ["council-vault", "--workspace", str(tmp_path), "log", str(file)])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    assert stopped.value.code == 2
    assert said.err.startswith("council-vault: ")
    assert text not in said.out + said.err


def test_what_is_said_of_a_refused_input_shows_numbers_and_words():
    wrong = {"confidence": "2026-13-45", "outcome": "élevée", "cost_usd": "-3", "rankings": {"通义千问": 9}}
    with pytest.raises(InputError) as raised:
        read_log_input(deliberation(1, **wrong))
    assert all(text in str(raised.value) for text in ("2026-13-45", "élevée", "-3", "got 9"))


def test_words_that_hyphens_join_are_a_text():
    with pytest.raises(InputError) as raised:
        read_log_input(deliberation(1, outcome="should-we-buy-initech"))
    assert "initech" not in str(raised.value)
