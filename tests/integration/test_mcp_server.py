"""`council-vault mcp` as an agent's program uses it: a real process, the SDK's own client."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from council_vault.settings import Settings
from support.deliberations import deliberation
from support.program import LOG, PERFORMANCE
from support.syncing import records

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, MCPError

from support.mcp_clients import server, with_client

TOOLS = [
    "log_deliberation",
    "rate_deliberation",
    "route_query",
    "council_stats",
    "rebuild_router",
    "sync_vault",
    "council_brief",
    "vault_context",
    "write_decision",
    "log_experiment",
]
NOTES = [f"council-vault://notes/{kind}" for kind in ("performance", "routing", "log")]
SCHEMA = "council-vault://schema/council-memory"
QUESTION = "Should we take leverage risk on the Zanzibar project now, or wait for the quarterly report?"
EXPERIMENT = {
    "variable_modified": "chairman_prompt",
    "modification_type": "sharpen",
    "baseline_pass_rate": 0.6,
    "modified_pass_rate": 0.7,
    "decision": "keep",
}


def said(result):
    """Return a result's text, which is all that a client without structured results has."""
    (content,) = result.content
    return content.text


def test_tools_and_resources_describe_themselves(program):
    async def talk(session):
        return await session.list_tools(), await session.list_resources(), session.instructions

    tools, resources, instructions = with_client(talk)

    assert [tool.name for tool in tools.tools] == TOOLS
    for tool in tools.tools:
        assert tool.title
        assert len(tool.description) > 100
        assert tool.name in instructions or tool.name in {
            "council_stats", "rebuild_router", "sync_vault", "log_experiment"
        }  # fmt: skip
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        taken = tool.input_schema["properties"]
        for name, schema in taken.items():
            assert len(schema["description"]) > 15, name
            required = name in tool.input_schema.get("required", ())
            assert schema["description"].startswith("Required. ") is required, name
        assert tool.annotations.destructive_hint is False
    reading = {tool.name for tool in tools.tools if tool.annotations.read_only_hint}
    assert reading == {"route_query", "council_stats", "vault_context"}
    assert [resource.uri for resource in resources.resources] == [*NOTES, SCHEMA]
    assert all(resource.description and resource.title for resource in resources.resources)


def test_a_deliberation_from_the_question_to_the_notes(program):
    program.make_vault()

    async def talk(session):
        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            assert not result.is_error, said(result)
            assert json.loads(said(result)) == result.structured_content
            return result.structured_content

        route = await call("route_query", query=QUESTION, budget_usd=2)
        given = deliberation(query_text=QUESTION, query_summary="Risk, now or later", routing_decision=route)
        logged = await call("log_deliberation", **given)
        again = await call("log_deliberation", **given)
        assert again == {"messages": ["It had been logged already; nothing was added."], **logged}
        rated = await call("rate_deliberation", text="nailed it")
        synced = await call("sync_vault")
        brief = await call("council_brief", directive=QUESTION, save=True)
        context = await call("vault_context", query=QUESTION, budget_tokens=500)
        decision = await call(
            "write_decision", deliberation_id=logged["id"], rationale="It was clear.", title="Wait"
        )
        experiment = await call("log_experiment", **EXPERIMENT)
        notes = [(await session.read_resource(uri)).contents[0] for uri in NOTES]
        schema = (await session.read_resource(SCHEMA)).contents[0]
        return route, logged, rated, synced, brief, context, decision, experiment, notes, schema

    route, logged, rated, synced, brief, context, decision, experiment, notes, schema = with_client(
        talk, "--vault", program.vault
    )

    (record,) = program.parsed()["deliberations"]
    assert record == {**logged, "user_rating": "positive", "vault_synced": True}
    assert record["routing_source"] == route["routing_source"]
    assert rated["user_rating"] == "positive"
    assert rated["messages"] == [
        "Vault synced: updated model performance, routing intelligence, and 1 new deliberation log entry."
    ]
    assert synced["pending"] == 0
    assert f"| {logged['id']} |" in program.log()
    assert "Risk, now or later" in program.log()
    assert (program.vault / PERFORMANCE).exists()
    assert brief["n_cases"] == 1
    assert logged["id"] in brief["prompt"]
    (message,) = brief["messages"]
    assert message.startswith("Saved as ")
    assert (program.vault / message.removeprefix("Saved as ").rstrip(".")).exists()
    assert logged["id"] in context["text"]
    assert context["budget"] == 500
    assert "It was clear." in (program.vault / decision["name"]).read_text("utf-8")
    assert program.parsed()["optimization_log"] == [experiment]
    assert notes[2].text.encode() == (program.vault / LOG).read_bytes()
    assert {note.mime_type for note in notes} == {"text/markdown"}
    assert schema.text == program("schema").out


def test_results_are_those_of_the_commands(program, tmp_path):
    program.make_vault()
    program("config", "set", "vault.path", program.vault)
    program.write_memory(*records(20, deliberation_value_added=0.9, user_rating="positive"))
    given, trial = tmp_path / "given.json", tmp_path / "trial.json"
    given.write_text(json.dumps(deliberation()))
    trial.write_text(json.dumps({**EXPERIMENT, "experiment_id": "opt_20260328_001"}))
    pairs = [
        (("log", given), "log_deliberation", deliberation()),
        (("rate", "great"), "rate_deliberation", {"text": "great"}),
        (("route", QUESTION, "--budget", "0.5"), "route_query", {"query": QUESTION, "budget_usd": 0.5}),
        (("stats", "summary"), "council_stats", {}),
        (("stats", "models"), "council_stats", {"view": "models"}),
        (("stats", "history", "--last", "1"), "council_stats", {"view": "history", "last": 1}),
        (("stats", "cost"), "council_stats", {"view": "cost"}),
        (("stats", "optimization"), "council_stats", {"view": "optimization"}),
        (("stats", "optimization", "--benchmarks"), "council_stats", {"view": "benchmarks"}),
        (("log-experiment", trial), "log_experiment", json.loads(trial.read_text())),
        (("rebuild-router",), "rebuild_router", {}),
        (("sync-vault",), "sync_vault", {}),
        (("brief", QUESTION, "--k", "3"), "council_brief", {"directive": QUESTION, "k": 3}),
        (("context", QUESTION, "--budget", "90"), "vault_context", {"query": QUESTION, "budget_tokens": 90}),
    ]
    for _ in range(2):  # from then on nothing is new
        for command, _, _ in pairs:
            assert program(*command, "--json").code == 0, command
    by_hand = [program(*command, "--json").json for command, _, _ in pairs]

    async def talk(session):
        return [(await session.call_tool(name, arguments)).structured_content for _, name, arguments in pairs]

    for (command, _, _), expected, result in zip(pairs, by_hand, with_client(talk), strict=True):
        if command[0] != "sync-vault":
            result.pop("messages", None)
        if command[0] == "brief":
            assert result.pop("prompt") == program(*command).out.removesuffix("\n")
        for time in ("as_of", "generated_at"):
            assert (result.pop(time, None) is None) is (expected.pop(time, None) is None)
        for made in (result, expected):
            made.get("routing_model", {}).pop("last_rebuilt", None)
            made.get("router", {}).pop("last_rebuilt", None)
        assert result == expected, command


@pytest.mark.parametrize("trouble", ["none", "broken memory", "no memory", "no vault"])
def test_errors_are_those_of_the_commands(program, tmp_path, trouble):
    vault = ("--vault", program.base / "nowhere")
    if trouble == "none":
        program.write_memory()
        wrong = {"models_used": "one", "confidence": 3, "stage1_responses": {"a": "a long and secret text"}}
        given = tmp_path / "given.json"
        given.write_text(json.dumps(wrong))
        pairs = [
            (("log", given), "log_deliberation", wrong),
            (("log-experiment", given), "log_experiment", wrong),
            (("decision", given), "write_decision", wrong),
            (("rate", "blue", "--id", "d_20260328_001"), "rate_deliberation",
             {"text": "blue", "id": "d_20260328_001"}),
            (("rate", "good", "--id", "d_20260328_001"), "rate_deliberation",
             {"text": "good", "id": "d_20260328_001"}),
            (("rate", "good"), "rate_deliberation", {"text": "good"}),
            (("rebuild-router",), "rebuild_router", {}),
            (("brief", "x", "--ledger", tmp_path / "no.db"), "council_brief",
             {"directive": "x", "ledger": str(tmp_path / "no.db")}),
        ]  # fmt: skip
    elif trouble == "broken memory":
        program.write_bytes(b'{"version": "1.3", "delib')
        pairs = [
            (("route", "x"), "route_query", {"query": "x"}),
            (("stats",), "council_stats", {}),
            (("brief", "x"), "council_brief", {"directive": "x"}),
        ]
    elif trouble == "no memory":
        pairs = [(("stats",), "council_stats", {}), (("sync-vault",), "sync_vault", {})]
    else:
        program.write_memory()
        pairs = [
            ((*vault, "sync-vault"), "sync_vault", {}),
            ((*vault, "context", "x"), "vault_context", {"query": "x"}),
        ]
    before = vault if trouble == "no vault" else ()
    by_hand = [program(*command) for command, _, _ in pairs]

    async def talk(session):
        return [await session.call_tool(name, arguments) for _, name, arguments in pairs]

    for (command, _, _), expected, result in zip(pairs, by_hand, with_client(talk, *before), strict=True):
        assert expected.code > 0, command
        assert result.is_error, command
        assert f"council-vault: {said(result)}\n" == expected.err
        assert result.structured_content is None


def test_wrong_arguments_are_named(program):
    async def talk(session):
        calls = [
            ("route_query", {}),
            ("route_query", {"query": 7, "budget_usd": "much"}),
            ("route_query", {"query": "x", "bugdet": 1}),
            ("rebuild_router", {"now": True}),
            ("council_stats", {"view": "all", "last": 1.5}),
            ("council_brief", {"directive": "x", "k": 65, "save": "yes"}),
            ("sync_vault", {"dry_run": 1}),
            ("vault_context", {"query": "x", "budget_tokens": 0}),
        ]
        return [said(await session.call_tool(*one)) for one in calls]

    assert with_client(talk) == [
        "query: required, but missing",
        'query: expected text, got 7; budget_usd: expected USD from 0 on, got "much"',
        "bugdet: there is no such argument. They are query, budget_usd",
        "now: there is no such argument. It takes none",
        (
            'view: expected summary, models, history, cost, optimization or benchmarks, got "all"; '
            "last: expected a whole number from 1 on, got 1.5"
        ),
        'k: expected a whole number from 1 to 64, got 65; save: expected true or false, got "yes"',
        "dry_run: expected true or false, got 1",
        "budget_tokens: expected a whole number from 1 on, got 0",
    ]


def test_what_there_is_not(program):
    program.write_memory()

    async def talk(session):
        errors = []
        for asked in (
            session.call_tool("delete_everything", {}),
            session.read_resource("council-vault://notes/secret"),
            session.read_resource(NOTES[0]),
        ):
            with pytest.raises(MCPError) as caught:
                await asked
            errors.append(str(caught.value))
        return errors

    program.make_vault()
    tool, resource, note = with_client(talk, "--vault", program.vault)
    assert "there is no tool 'delete_everything'" in tool
    assert "there is no resource 'council-vault://notes/secret'" in resource
    assert note == f"{program.vault}: {PERFORMANCE} is not there yet. A sync writes it"


def test_a_sync_that_cannot_write_a_note_has_failed_and_says_why(program):
    program.make_vault()
    program.write_memory()
    program("--vault", program.vault, "sync-vault")
    note = program.vault / LOG
    note.write_text(program.log().replace("%% council-vault:end %%", ""), "utf-8")
    by_hand = program("sync-vault", "--json")

    async def talk(session):
        return await session.call_tool("sync_vault", {})

    result = with_client(talk)
    assert by_hand.code == 1
    assert result.is_error
    assert result.structured_content == by_hand.json
    assert json.loads(said(result)) == by_hand.json


def test_calls_at_the_same_time_are_all_done(program):
    async def talk(session):
        async def log(number):
            given = deliberation(query_text=f"What should be done about matter {number}?")
            ids.append((await session.call_tool("log_deliberation", given)).structured_content["id"])

        ids = []
        async with anyio.create_task_group() as tasks:
            for number in range(12):
                tasks.start_soon(log, number)
        return ids

    ids = with_client(talk)
    assert sorted(ids) == sorted(one["id"] for one in program.parsed()["deliberations"])
    assert len(set(ids)) == 12


def test_two_servers_share_a_memory(program):
    def log(name):
        async def talk(session):
            for number in range(5):
                given = deliberation(query_text=f"What should {name} do about matter {number}?")
                assert not (await session.call_tool("log_deliberation", given)).is_error

        with_client(talk)

    with ThreadPoolExecutor() as together:
        list(together.map(log, ["one", "two"]))
    assert len({one["id"] for one in program.parsed()["deliberations"]}) == 10


def test_settings_are_read_for_each_call(program):
    async def talk(session):
        async def source():
            return (await session.call_tool("route_query", {"query": QUESTION})).structured_content

        found = [(await source())["routing_source"]]
        program("config", "set", "router.mode", "always_shortcut")
        found.append((await source())["routing_source"])
        program.config.write_text("[router]\nmode = 'sometimes'\n")
        result = await session.call_tool("route_query", {"query": QUESTION})
        assert result.is_error
        found.append(said(result))
        program.config.unlink()
        found.append((await source())["routing_source"])
        return found

    program.write_memory()
    before, set_, wrong, after = with_client(talk)
    assert (before, set_, after) == ("heuristic_no_memory", "always_shortcut", "heuristic_no_memory")
    assert str(program.config) in wrong
    assert Settings().router.mode in wrong


def test_what_no_protocol_can_carry_does_not_end_the_server(program):
    program.write_memory({"id": "d_20260328_001", "query_summary": "half \ud83d a pair"})
    assert b"half \\ud83d a pair" in program.memory.read_bytes()

    async def talk(session):
        return await session.call_tool("council_stats", {"view": "history"})

    (one,) = with_client(talk).structured_content["history"]
    assert one["query_summary"] == "half ? a pair"


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")])
def test_clients_of_both_ages_of_the_protocol_are_served(program, mode, version):
    async def run():
        async with Client(server(), mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            route = await client.call_tool("route_query", {"query": QUESTION})
            wrong = await client.call_tool("rate_deliberation", {"text": "great"})
            schema = await client.read_resource(SCHEMA)
            return client.protocol_version, tools, route, wrong, schema

    spoken, tools, route, wrong, schema = anyio.run(run)
    assert spoken == version
    assert tools == TOOLS
    assert route.structured_content["decision"] == "deliberate"
    assert f"council-vault: {said(wrong)}\n" == program("rate", "great").err
    assert schema.contents[0].text == program("schema").out
