"""What each shape of file says, as log input."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import pytest
from hypothesis import strategies as st

from council_vault.importers.llm_council import Found, Refused, read_file
from support.council_files import (
    ALICE,
    ANSWERS,
    BOB,
    CAROL,
    COUNCIL,
    DAVE,
    QUESTION,
    SYNTHESIS,
    answered,
    as_lines,
    asked,
    conversation,
    events,
    final_ranking,
    put,
    stages,
)

NOW = datetime(2026, 3, 28, 12, tzinfo=UTC)


@pytest.fixture
def read(tmp_path):
    def read_value(value, name="file.json"):
        return list(read_file(put(tmp_path / name, value), NOW))

    return read_value


@pytest.fixture
def read_lines(tmp_path):
    def read_text(text, name="file.jsonl"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return list(read_file(path, NOW))

    return read_text


def only(parts):
    (part,) = parts
    assert isinstance(part, Found), part
    return part.given


def reasons(parts):
    return [(part.where, part.reason) for part in parts if isinstance(part, Refused)]


def order(given, reviewer):
    ballot = given.reviewer_rankings_raw[reviewer]
    return sorted(ballot, key=ballot.__getitem__)


# Conversations


def test_a_conversation(read):
    given = only(read(conversation()))
    assert given.query_text == QUESTION
    assert given.timestamp == datetime(2026, 3, 1, 10, 20, 30, tzinfo=UTC)
    assert given.models_used == COUNCIL
    assert given.stage1_responses == ANSWERS
    assert order(given, ALICE) == [CAROL, ALICE, BOB, DAVE]
    assert order(given, DAVE) == [ALICE, CAROL, BOB, DAVE]
    assert (given.chairman, given.synthesis_text) == (CAROL, SYNTHESIS)
    assert (given.protocol_used, given.outcome) == ("voting", "unknown")
    assert (given.routing_decision, given.routing_source) == ("deliberate", "explicit_command")
    assert (given.cost_usd, given.latency_ms, given.confidence, given.query_summary) == (None,) * 4


@pytest.mark.parametrize(
    ("title", "summary"),
    [
        ("New Conversation", None),
        ("", None),
        (None, None),
        (7, None),
        ("Lantern duty", "Lantern duty"),
        (QUESTION, None),
        ("which lighthouse keeper…", None),
    ],
)
def test_a_title_is_the_summary_unless_it_is_the_question(read, title, summary):
    assert only(read(conversation(title=title))).query_summary == summary


def test_several_deliberations_of_a_conversation_keep_their_order(read):
    parts = read(
        conversation(asked(), answered(), asked("And who pays for it?"), answered(), title="Lanterns")
    )
    assert [part.where for part in parts] == ["deliberation 1", "deliberation 2"]
    assert [part.given.query_text for part in parts] == [QUESTION, "And who pays for it?"]
    assert parts[0].given.timestamp == parts[1].given.timestamp
    assert [part.given.query_summary for part in parts] == ["Lanterns", None]


def test_a_message_with_a_time_of_its_own_has_that(read):
    parts = read(
        conversation(
            asked(timestamp="2026-03-02T00:00:00Z"),
            answered(timestamp="2026-03-02T00:01:00Z"),
            asked(),
            answered(created_at="2026-03-03T00:00:00+01:00"),
        )
    )
    assert [part.given.timestamp for part in parts] == [
        datetime(2026, 3, 2, tzinfo=UTC),
        datetime(2026, 3, 2, 23, tzinfo=UTC),
    ]


def test_questions_that_got_no_answer_are_named_and_the_others_are_used(read):
    parts = read(
        conversation(
            asked("first?"), asked(), answered(), asked("third?"), {"role": "assistant", "content": "x"}
        )
    )
    assert reasons(parts) == [
        ("deliberation 1", "the question got no answer"),
        ("deliberation 3", "the question got no answer"),
    ]
    assert parts[1].given.query_text == QUESTION


def test_an_answer_that_is_given_twice_is_two_deliberations(read):
    parts = read(conversation(asked(), answered(), answered()))
    assert [part.given.query_text for part in parts] == [QUESTION, QUESTION]


@pytest.mark.parametrize(
    "document",
    [
        {"conversation": conversation()},
        {"data": conversation(), "version": 2},
        conversation({"message": asked()}, {"message": answered()}),
        conversation([asked(), answered()]),
        conversation(asked(), {"role": "assistant", "content": stages()}),
        conversation(asked(), {"role": "assistant", "result": stages(), "status": "done"}),
        {**conversation(), "messages": {"messages": [asked(), answered()]}},
        {**conversation(), "messages": {"1": asked(), "2": answered()}},
        conversation(asked([{"type": "text", "text": QUESTION}, {"type": "image"}]), answered()),
        conversation(asked({"text": QUESTION}), answered()),
    ],
)
def test_what_is_nested_one_level_deeper_is_found(read, document):
    given = only(read(document))
    assert given.query_text == QUESTION
    assert given.models_used == COUNCIL
    assert given.timestamp == datetime(2026, 3, 1, 10, 20, 30, tzinfo=UTC)
    assert len(given.reviewer_rankings_raw) == 4


def test_a_council_that_speaks_first_is_known_by_its_conversation(read):
    assert only(read(conversation(answered()))).query_text == "id 2f1d"


def test_a_chat_without_a_council_is_named_once(read):
    chat = [asked("a?"), {"role": "assistant", "content": "b"}] * 5
    assert reasons(read(conversation(*chat))) == [("", "no council answered any of its 5 questions")]
    assert reasons(read({"messages": []})) == [("", "nothing was asked")]


# Labels, ballots and failed models


def test_stored_labels_count_before_the_order_of_the_answers(read):
    labels = dict(zip(("Response A", "Response B", "C", "D"), (DAVE, CAROL, BOB, ALICE), strict=True))
    for holder in (
        {"metadata": {"label_to_model": labels}},
        {"label_to_model": {key: {"model": model} for key, model in labels.items()}},
    ):
        given = only(read(conversation(asked(), answered(**holder))))
        assert order(given, ALICE) == [BOB, DAVE, CAROL, ALICE]


def test_stored_labels_of_other_models_do_not_count(read):
    metadata = {"label_to_model": {"Response A": "Somebody", "Response B": "Else"}}
    given = only(read(conversation(asked(), answered(metadata=metadata))))
    assert order(given, ALICE) == [CAROL, ALICE, BOB, DAVE]


@pytest.mark.parametrize("failed", [None, "", "  \n", "Error: 500", "<think>What should I say?</think>", 7])
def test_models_that_failed_have_no_part_and_may_still_review(read, failed):
    message = {"role": "assistant", **stages({**ANSWERS, BOB: failed})}
    given = only(read(conversation(asked(), message)))
    assert given.models_used == (ALICE, CAROL, DAVE)
    assert order(given, ALICE) == [CAROL, ALICE, DAVE]
    assert order(given, BOB) == [CAROL, ALICE, DAVE]


def test_failed_answers_that_reviewers_did_not_see_have_no_label(read):
    message = {"role": "assistant", **stages({**ANSWERS, BOB: None}, {ALICE: "CAB", CAROL: "BCA"})}
    given = only(read(conversation(asked(), message)))
    assert order(given, ALICE) == [DAVE, ALICE, CAROL]
    assert order(given, CAROL) == [CAROL, DAVE, ALICE]


def test_an_answer_that_comes_with_an_error_failed(read):
    message = answered()
    message["stage1"][1] = {"model": BOB, "response": "Half an ans", "error": "timeout"}
    assert only(read(conversation(asked(), message))).models_used == (ALICE, CAROL, DAVE)


def test_a_model_that_answers_twice_takes_part_once(read):
    message = answered()
    message["stage1"][1]["model"] = ALICE
    given = only(read(conversation(asked(), message)))
    assert given.stage1_responses[ALICE] == ANSWERS[ALICE]
    assert given.models_used == (ALICE, CAROL, DAVE)
    assert order(given, ALICE) == [CAROL, ALICE, DAVE]


def test_a_nameless_answer_keeps_its_place(read):
    message = answered()
    message["stage1"][0] = {"model": None, "response": "Who am I?"}
    given = only(read(conversation(asked(), message)))
    assert given.models_used == (BOB, CAROL, DAVE)
    assert order(given, ALICE) == [CAROL, BOB, DAVE]


def review(prose, parsed=None):
    return {"model": ALICE, "ranking": prose, "parsed_ranking": parsed}


@pytest.mark.parametrize(
    ("given_review", "letters"),
    [
        (review(final_ranking("DCBA"), ["Response A", "Response B"]), "DCBA"),
        (review('{"ranking": ["Response D", "Response C"]}', ["Response A"]), "DC"),
        (review("Response A is good.", ["Response B", "Response Z", "Response A"]), "BA"),
        (review("Good:\n1. Response D\n2. Response A", ["Response B", "Response B"]), "DA"),
        (review("Good:\n1. Response D\n2. Response A"), "DA"),
        (review("", ["B", "B", "A"]), "BA"),
        (review(None, [{"response": "B", "rank": 2}, {"response": "A", "rank": 1}]), "AB"),
        (review("<think>FINAL RANKING:\n1. Response A</think>\n" + final_ranking("BD")), "BD"),
        (review("<think>\n" + final_ranking("AB"), ["Response D", "Response C"]), "DC"),
        ({"model": ALICE, "ranking_text": final_ranking("BA")}, "BA"),
        ({"model": ALICE, "ranking": ["Response B", "Response A"]}, "BA"),
    ],
)
def test_the_prose_of_a_review_counts_else_what_was_parsed(read, given_review, letters):
    message = answered()
    message["stage2"] = [given_review]
    given = only(read(conversation(asked(), message)))
    assert order(given, ALICE) == [COUNCIL["ABCD".index(letter)] for letter in letters]


def test_a_review_without_a_ranking_is_left_out_and_counted(read):
    message = answered()
    message["stage2"][0] = {"model": ALICE, "ranking": "I will not choose.", "parsed_ranking": None}
    message["stage2"][1] = {"model": BOB, "ranking": "FINAL RANKING:\n1. Response Q"}
    message["stage2"].append({"model": "", "ranking": "nobody's"})
    (part,) = read(conversation(asked(), message))
    assert part.reviews_left_out == 2
    assert set(part.given.reviewer_rankings_raw) == {CAROL, DAVE}


def test_without_ballots_the_stored_mean_ranks_count(read):
    means = [{"model": BOB, "average_rank": 1.5}, {"model": ALICE, "average_rank": "2.5"}, {"model": None}, 3]
    message = answered(
        stage2=[], metadata={"aggregate_rankings": [*means, {"model": CAROL, "average_rank": 2.5}]}
    )
    given = only(read(conversation(asked(), message)))
    assert given.rankings == {BOB: 1, ALICE: 2, CAROL: 2}
    assert given.protocol_used is None


def test_one_answer_is_a_single_models_and_its_reviews_say_nothing(read):
    message = {"role": "assistant", **stages({ALICE: ANSWERS[ALICE], BOB: None}, {BOB: "A"})}
    (part,) = read(conversation(asked(), message))
    assert part.given.models_used == (ALICE,)
    assert part.given.routing_decision == "single_model"
    assert (part.given.reviewer_rankings_raw, part.given.rankings, part.reviews_left_out) == ({}, {}, 0)


def test_stages_may_be_missing(read):
    message = {"role": "assistant", "stage1": stages()["stage1"], "stage2": None, "stage3": None}
    given = only(read(conversation(asked(), message)))
    assert (given.chairman, given.synthesis_text, given.reviewer_rankings_raw) == (None, None, {})


def test_a_synthesis_that_is_only_text(read):
    given = only(read(conversation(asked(), answered(stage3="All agree.", metadata={"chairman": BOB}))))
    assert (given.chairman, given.synthesis_text) == (BOB, "All agree.")


def test_a_council_of_thirty(read):
    answers = {f"m/{number}": f"Answer number {number}.\n\nIt is long." for number in range(30)}
    message = {"role": "assistant", **stages(answers, {"m/0": ["AD", "AA", "Z", "A"]})}
    assert order(only(read(conversation(asked(), message))), "m/0") == ["m/29", "m/26", "m/25", "m/0"]


# What cannot be used


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (conversation(asked("  "), answered()), "there is no question"),
        (conversation(asked(), {"role": "assistant", "stage1": []}), "the question got no answer"),
        (
            conversation(asked(), {"role": "assistant", **stages({ALICE: None, BOB: ""})}),
            "every model failed",
        ),
        (conversation(created_at=None), "it does not say when it was"),
        (conversation(created_at="yesterday"), "it does not say when it was"),
        (conversation(created_at="2026-04-28T00:00:00"), "it is dated in the future"),
        (
            conversation(created_at="1999-12-31T00:00:00Z"),
            'timestamp: expected a time such as "2026-03-28T14:30:00Z"',
        ),
        (
            conversation(
                asked(), {"role": "assistant", **stages({"x" * 300: "An answer.", BOB: "Another."})}
            ),
            "models_used[0]: expected a model id",
        ),
        ({"deliberations": []}, "it is a memory file, which is not imported"),
        ({"name": "package", "version": "1"}, "it is no conversation, run or event of a council"),
        (3, "it is no conversation, run or event of a council"),
        ([], "it is an empty list"),
    ],
)
def test_what_cannot_be_used_is_named_with_the_reason(read, document, reason):
    ((where, said),) = reasons(read(document))
    assert where == ""
    assert said.startswith(reason)


def test_a_local_time_that_is_ahead_of_utc_is_not_the_future(read):
    assert only(read(conversation(created_at="2026-03-28T22:00:00"))).timestamp.day == 28


def test_a_list_of_conversations(read):
    parts = read(
        [conversation(), {"no": "council"}, stages(query=QUESTION, timestamp="2026-03-05T00:00:00Z")]
    )
    assert [part.where for part in parts] == ["element 1", "element 2", "element 3"]
    assert [type(part) for part in parts] == [Found, Refused, Found]


def test_no_reason_repeats_what_was_asked_or_answered(read):
    question = "The code of the vault is 4711 and nobody must know"
    parts = read(
        [
            conversation(asked(question), asked(question)),
            conversation(
                asked(question), {"role": "assistant", "stage1": [{"model": "a\x00b", "response": question}]}
            ),
            stages({question * 5: question}, query=question, timestamp="2026-03-05T00:00:00Z"),
            stages({ALICE: question}, query=question, timestamp=question),
        ]
    )
    said = " ".join(reason for _, reason in reasons(parts))
    assert len(reasons(parts)) == 4
    assert not {"4711", "vault", "nobody"} & set(said.split())


# Runs


def test_an_assembled_run(read):
    given = only(read(stages(query=QUESTION, timestamp="2026-01-30T16:43:32.096321", title="Lanterns")))
    assert (given.query_text, given.query_summary) == (QUESTION, "Lanterns")
    assert given.timestamp == datetime(2026, 1, 30, 16, 43, 32, tzinfo=UTC)
    assert order(given, ALICE) == [CAROL, ALICE, BOB, DAVE]


def test_a_run_that_is_nested_one_level_deeper(read):
    given = only(read({"query": QUESTION, "metadata": {"timestamp": "2026-01-30"}, "result": stages()}))
    assert (given.query_text, given.chairman) == (QUESTION, CAROL)


BENCHMARK = {
    "benchmark": "Lanterns",
    "question_id": "lantern_7",
    "replication": 0,
    "timestamp": "2025-12-21T13:01:20.5",
    "elapsed_time": 32.0764,
    "stage1_responses": {ALICE: ANSWERS[ALICE], BOB: " ", CAROL: ANSWERS[CAROL]},
    "stage2_data": {
        "rankings": {ALICE: ["C", "A", "B"], BOB: ["C", "C", "A"], CAROL: final_ranking("AC")},
        "label_to_model": {"A": ALICE, "B": BOB, "C": CAROL},
    },
    "stage3_data": {"synthesis": SYNTHESIS},
    "metadata": None,
}


def test_a_benchmarks_run_is_known_by_the_fields_that_identify_its_question(read):
    given = only(read(BENCHMARK))
    assert given.query_text == "benchmark Lanterns, question_id lantern_7"
    assert given.query_summary == "Lanterns: lantern_7"
    assert given.models_used == (ALICE, CAROL)
    assert order(given, ALICE) == order(given, BOB) == [CAROL, ALICE]
    assert order(given, CAROL) == [ALICE, CAROL]
    assert (given.chairman, given.synthesis_text, given.latency_ms) == (None, SYNTHESIS, 32076)


def test_a_run_without_a_question_is_known_by_its_id_else_refused(read):
    run = {name: value for name, value in BENCHMARK.items() if name not in ("benchmark", "question_id")}
    assert only(read({**run, "run_id": 7})).query_text == "run_id 7"
    assert reasons(read(run)) == [("", "there is no question")]


# Events


def test_events_with_labels_of_each_reviewer(read_lines):
    given = only(read_lines(as_lines(events())))
    assert given.query_text == QUESTION
    assert given.timestamp == datetime(2026, 3, 2, 6, tzinfo=UTC)
    assert given.models_used == (ALICE, BOB, CAROL)
    assert order(given, ALICE) == [CAROL, BOB]
    assert order(given, BOB) == [CAROL, ALICE]
    assert order(given, CAROL) == [ALICE, BOB]
    assert (given.chairman, given.synthesis_text, given.latency_ms) == (CAROL, SYNTHESIS, 12346)


def test_events_of_several_runs_may_be_mixed(read_lines):
    mixed = [event for pair in zip(events("r1"), events("r2", "Why?"), strict=True) for event in pair]
    parts = read_lines(as_lines(mixed))
    assert [(part.where, part.given.query_text) for part in parts] == [
        ("deliberation 1", QUESTION),
        ("deliberation 2", "Why?"),
    ]


def test_events_in_a_list_and_of_unknown_kinds(read):
    told = events()
    assert only(read([*told[:3], {"type": "token", "text": "x"}, *told[3:]])).models_used == (
        ALICE,
        BOB,
        CAROL,
    )


def test_events_without_their_beginning_or_end(read_lines):
    assert reasons(read_lines(as_lines(events()[1:]))) == [("", "there is no question")]
    assert reasons(read_lines(as_lines(events()[:1]))) == [("", "the question got no answer")]
    cut = only(read_lines(as_lines(events()[:5])))
    assert (cut.chairman, cut.latency_ms, cut.synthesis_text) == (CAROL, None, None)


def test_a_bad_line_is_named_and_the_others_are_used(read_lines):
    lines = as_lines([conversation(), conversation(id="b")]).replace("\n", '\n{"id": \n', 1)
    parts = read_lines(lines)
    assert [part.where for part in parts] == ["line 1", "line 2", "line 3"]
    assert reasons(parts) == [("line 2", "it is no JSON: expecting value (column 8)")]


def test_a_bad_line_among_events(read_lines):
    parts = read_lines(as_lines(events()) + "oops\n")
    assert reasons(parts) == [("line 11", "it is no JSON: expecting value (column 1)")]
    assert only(parts[:1]).query_text == QUESTION


# Bytes


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_encoding(tmp_path, codec):
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(conversation(title="Überblick 🏮"), ensure_ascii=False).encode(codec))
    assert only(read_file(path, NOW)).query_summary == "Überblick 🏮"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b"  \n ", "it is empty"),
        (b"{", "it is no JSON: expecting property name enclosed in double quotes (line 1, column 2)"),
        (b'{"a": 1,\n"b": }', "it is no JSON: expecting value (line 2, column 6)"),
        (b"# Notes\n\ntext\n", "it is no JSON: expecting value (line 1, column 1)"),
        (b'{"a": "\xff"}', "the text is not valid UTF-8 (line 1, column 8)"),
        (b'{"messages": ' + b"[" * 200_000, "lists and objects are nested too deeply"),
    ],
)
def test_files_that_are_broken(tmp_path, data, reason):
    path = tmp_path / "file.json"
    path.write_bytes(data)
    assert reasons(read_file(path, NOW)) == [("", reason)]


def test_a_file_that_is_gone(tmp_path):
    assert reasons(read_file(tmp_path / "gone.json", NOW)) == [
        ("", "it cannot be read: no such file or directory")
    ]


@hypothesis.given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=5)
        | st.sampled_from(
            ["config", "stage1_response", "user", "assistant", "2026-03-01", ALICE, "Response A"]
        ),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "messages",
                        "role",
                        "content",
                        "stage1",
                        "stage2",
                        "stage3",
                        "stage1_responses",
                        "model",
                        "response",
                        "ranking",
                        "parsed_ranking",
                        "label_to_model",
                        "metadata",
                        "aggregate_rankings",
                        "type",
                        "run_id",
                        "config",
                        "created_at",
                        "query",
                        "rankings",
                        "elapsed_time",
                        "chairman",
                    ]
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=25,
    )
)
@hypothesis.settings(deadline=None, max_examples=200)
def test_whatever_a_file_says_is_found_or_refused(document):
    with TemporaryDirectory() as folder:
        parts = list(read_file(put(Path(folder) / "file.json", document), NOW))
    assert parts
    assert all(isinstance(part, Found) or part.reason for part in parts)


@pytest.mark.parametrize("took", [-1, "soon", 1e9, None, [3]])
def test_a_duration_that_cannot_be_is_not_known(read, took):
    assert only(read({**BENCHMARK, "elapsed_time": took})).latency_ms is None


def test_half_characters_and_numbers_that_are_none(read):
    answers = {**ANSWERS, ALICE: "half \ud800 a character.\n\nAnd more."}
    message = {"role": "assistant", **stages(answers), "elapsed_seconds": float("nan")}
    given = only(read(conversation(asked("half \udc00?"), message)))
    assert (given.query_text, given.latency_ms) == ("half \udc00?", None)
