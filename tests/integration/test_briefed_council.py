"""A council of six roles and a counsel, wired as the README shows it, that talks to a model over HTTP."""

from __future__ import annotations

import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from council_vault.briefing import prompt
from support.ledgers import DIRECTIVE, write_ledger
from support.memory_files import record
from support.openai_stub import calls, openai_stub, says
from support.readme_help import README

ROLES = {
    name: f"You are the {name}."
    for name in ("Analyst", "Strategist", "Skeptic", "Forecaster", "Executor", "Storyteller")
}
COUNSEL = "You are the counsel: decide."
BRIEF = "# Historical brief: Should we take BTC leverage risk now?"


def wiring() -> str:
    """Return the lines of the README that brief a council."""
    section = README.read_text("utf-8").partition("\n## Brief your own council\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return code


class Council:
    """Six roles that argue at once, and a counsel that decides, with a tool at hand."""

    def __init__(self, stub):
        self.stub = stub
        self.sent = []
        self.ran = []

    def deliberate(self, task):
        """Run the README's lines, and then ask everyone."""
        names = {
            "task": task,
            "context": {"market": "sideways", "_trace": "zyzzyva", "_session": {"key": "quixote"}},
            "roles": ROLES,
            "messages": [{"role": "system", "content": COUNSEL}, {"role": "user", "content": task}],
            "send": self.sent.append,
        }
        exec(compile(wiring(), str(README), "exec"), names)  # noqa: S102 - it is what people paste
        with ThreadPoolExecutor(len(ROLES)) as pool:
            asked = [[{"role": "user", "content": text}] for text in names["prompts"].values()]
            answers = list(pool.map(self.stub.ask, asked))
        return answers, self.counsel(names["messages"])

    def counsel(self, messages):
        answer = self.stub.ask(messages, tools=[{"type": "function", "function": {"name": "quotes"}}])
        while answer.get("tool_calls"):
            self.ran.append(answer["tool_calls"][0]["function"]["name"])
            messages = [*messages, answer, {"role": "tool", "tool_call_id": "call_1", "content": "90k"}]
            answer = self.stub.ask(messages, tools=[])
        return answer


def answer(asked):
    """Argue as a role; as the counsel run a tool first."""
    if asked.get("tools"):
        return calls("quotes")
    return says("Decided." if "tools" in asked else "Argued.")


@pytest.fixture
def council(program):
    with openai_stub(answer) as stub:
        yield Council(stub)


def roles_of(council):
    return [asked["messages"] for asked in council.stub.asked if "tools" not in asked]


def counsel_of(council):
    return [asked["messages"] for asked in council.stub.asked if "tools" in asked]


def test_every_role_reads_the_brief_before_its_task(program, council):
    write_ledger(program.workspace / "council-ledger.db")
    answers, decision = council.deliberate(DIRECTIVE)

    asked = roles_of(council)
    assert len(asked) == len(answers) == 6
    assert {one["content"] for one in answers} == {"Argued."}
    texts = [message["content"] for (message,) in asked]
    assert {text.partition("\n")[0] for text in texts} == set(ROLES.values())
    for text in texts:
        assert text.count(BRIEF) == 1
        assert text.index("You are the") < text.index(BRIEF) < text.index(prompt.CLOSING)
        assert (
            text.index(prompt.CLOSING)
            < text.index(f"TASK:\n{DIRECTIVE}")
            < text.index('"market": "sideways"')
        )
        for internal in ("_trace", "zyzzyva", "_session", "quixote"):
            assert internal not in text
    assert len({text.partition("\n")[2] for text in texts}) == 1, "one brief for all"
    assert "⚠ predicted btc up, 3×" in texts[0]
    assert "Phase in, keep a hedge (cs_phase, 100% right)" in texts[0]
    assert decision["content"] == "Decided."


def test_the_counsel_reads_it_behind_its_own_message_and_before_a_tool_runs(program, council):
    write_ledger(program.workspace / "council-ledger.db")
    council.deliberate(DIRECTIVE)

    first, second = counsel_of(council)
    assert council.ran == ["quotes"]
    assert [message["role"] for message in first] == ["system", "system", "user"]
    assert first[0]["content"] == COUNSEL
    assert first[1]["content"].startswith(BRIEF)
    assert [message["role"] for message in second] == ["system", "system", "user", "assistant", "tool"]
    assert second[1] == first[1]


def test_a_page_is_told_and_the_brief_is_made_once(program, council, monkeypatch):
    write_ledger(program.workspace / "council-ledger.db")
    made = []
    build = prompt.build_brief
    monkeypatch.setattr(prompt, "build_brief", lambda *given: made.append(given) or build(*given))
    council.deliberate(DIRECTIVE)

    assert len(made) == 1
    (event,) = council.sent
    name, data = re.fullmatch(r"event: (\w+)\ndata: ([^\n]+)\n\n", event).groups()
    assert name == "brief"
    said = json.loads(data)
    assert set(said) == {"n_cases", "repeated_errors"}
    assert said["n_cases"] == 5
    (error,) = said["repeated_errors"]
    assert (error["error"], error["occurrences"]) == ("predicted btc up", 3)


def test_without_any_history_the_brief_says_so(program, council):
    council.deliberate(DIRECTIVE)
    for (message,) in roles_of(council):
        assert message["content"].count("No prior deliberations on this") == 1
    (event,) = council.sent
    assert '"n_cases": 0' in event


def missing(program):
    program("config", "set", "brief.ledger", str(program.base / "nowhere.db"))
    return "there is no such ledger"


def corrupt(program):
    path = program.base / "corrupt.db"
    write_ledger(path)
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 40_000)
    program("config", "set", "brief.ledger", str(path))
    return "corrupt.db"


def no_database(program):
    path = program.base / "letter.db"
    path.write_text("Dear council, " * 100)
    program("config", "set", "brief.ledger", str(path))
    return "this is no SQLite database"


def broken_memory(program):
    program.write_bytes(b'{"deliberations": [}')
    return "council-memory.json"


def wrong_settings(program):
    program.config.parent.mkdir(parents=True)
    program.config.write_text("[brief]\nledgre = 'x'\n")
    return "Did you mean brief.ledger?"


@pytest.mark.parametrize("source", [missing, corrupt, no_database, broken_memory, wrong_settings])
def test_a_source_that_fails_leaves_the_council_unbriefed(program, council, caplog, source):
    reason = source(program)
    with caplog.at_level(logging.WARNING):
        answers, decision = council.deliberate(DIRECTIVE)

    (warning,) = [one for one in caplog.records if one.name.startswith("council_vault")]
    assert warning.levelno == logging.WARNING
    assert "The council deliberates without a brief" in warning.getMessage()
    assert reason in warning.getMessage()
    assert [one["content"] for one in answers] == ["Argued."] * 6
    assert decision["content"] == "Decided."
    for (message,) in roles_of(council):
        assert "Historical brief" not in message["content"]
        assert message["content"].split("\n\n")[1].startswith("TASK:\n")
    assert [message["role"] for message in counsel_of(council)[0]] == ["system", "user"]
    assert council.sent == []


def test_a_ledger_that_nobody_has_named_may_fail(program, council, caplog):
    program.write_memory(record(1, query_summary="BTC leverage: what risk?", user_rating="positive"))
    (program.workspace / "council-ledger.db").write_text("Dear council, " * 100)
    with caplog.at_level(logging.WARNING):
        council.deliberate(DIRECTIVE)
    (warning,) = [one for one in caplog.records if one.name.startswith("council_vault")]
    assert warning.getMessage().startswith("The ledger is left out: ")
    for (message,) in roles_of(council):
        assert "BTC leverage: what risk? (d_20260328_001, 100% right)" in message["content"]
    assert '"n_cases": 1' in council.sent[0]


def test_other_places_can_be_named(program, council):
    from council_vault.operations.brief import council_brief  # noqa: PLC0415 - not through the README

    elsewhere = program.base / "elsewhere"
    elsewhere.mkdir()
    write_ledger(elsewhere / "council-ledger.db")
    assert council_brief(DIRECTIVE).n_cases == 0
    assert council_brief(DIRECTIVE, workspace=str(elsewhere)).n_cases == 5
    named = council_brief(DIRECTIVE, ledger=str(elsewhere / "council-ledger.db"), k=2)
    assert [case.ref for case in named.relevant_historical_cases] == ["cs_phase", "cs_options"]
