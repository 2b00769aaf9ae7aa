"""The points that a text makes, and how much of one an answer says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.points import Answer, Point, points


def said(text: str) -> list[set[str]]:
    return [set(point.terms) for point in points(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n --- \n***\n|---|:-:|\n👍", []),
        ("Ship small changes. Roll back fast!", [{"ship", "small", "chang"}, {"roll", "back", "fast"}]),
        ("Ship small changes.\nRoll back fast", [{"ship", "small", "chang"}, {"roll", "back", "fast"}]),
        (
            "Ship small changes\n- Redis\n2) Kafka\n• [x] Rust",
            [{"ship", "small", "chang"}, {"redis"}, {"kafka"}, {"rust"}],
        ),
        ("Use Kafka. Yes. Well, so be it.\nTake retries and timeouts", [{"tak", "retri", "timeout"}]),
        (
            "## Main heading here\n**Bold heading here**\n__Another heading__\nPlain words stay",
            [{"plain", "word", "stay"}],
        ),
        ("**Ship small changes.**\nRoll back fast", [{"ship", "small", "chang"}, {"roll", "back", "fast"}]),
        ("Ship small changes. Three reasons follow:\n- Speed", [{"ship", "small", "chang"}, {"speed"}]),
        ("> | **Ship** `small` ~~changes~~ |", [{"ship", "small", "chang"}]),
        ("[Ship small](https://example.com/a) changes https://example.com/b", [{"ship", "small", "chang"}]),
        ("Take care, e.g. Redis caches, i.e. fast ones", [{"tak", "car", "redis", "cach", "fast", "one"}]),
        ('He said "ship changes." Then rolled back', [{"said", "ship", "chang"}, {"roll", "back"}]),
        ("Ship small changes. Changes, small: ship!", [{"ship", "small", "chang"}]),
        ("用微服务。不用单体！好", [{"用微", "微服", "服务"}, {"不用", "用单", "单体"}]),
        ("1、用微服务\n2、单体", [{"用微", "微服", "服务"}, {"单体"}]),
        ("छोटे बदलाव भेजो। जल्दी वापस लौटो", [{"छोटे", "बदलाव", "भेजो"}, {"जल्दी", "वापस", "लौटो"}]),
        ("استخدم قاعدة بيانات؟ نعم هذا أفضل", [{"استخدم", "قاعدة", "بيانات"}, {"نعم", "هذا", "أفضل"}]),
        ("```python\nreturn cached_value\n}\n```", [{"return", "cach", "valu"}]),
        ("Paris.", [{"paris"}]),
        ("# Paris", [{"paris"}]),
        ("Paris.\nRome.\n## London", [{"paris"}]),
        ("First:\n# Second", [{"first"}]),
        ("$70,000", [{"70", "000"}]),
        ("Take 5 mg", [{"tak", "5"}]),
        ("a\rb\u2028Ship small\x0bchanges roll", [{"ship", "small"}, {"chang", "roll"}]),
    ],
)
def test_points(text: str, expected: list[set[str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The council disagrees on caching.",
        "There is no consensus about sharding here",
        "Opinions differ on this matter",
        "The models differ on cost",
        "Experts clash over microservices",
        "This claim is contested widely",
        "Response A favours Kafka, while Response C prefers RabbitMQ",
        "Some models recommend Kafka; others prefer RabbitMQ",
        "Not all responses mention backups",
        "Model 2 contradicts itself on backups",
        "各个模型对缓存存在分歧",
        "Die Modelle sind uneinig über Caching",
    ],
)
def test_a_disagreement_is_flagged(text: str) -> None:
    assert [point.disagreement for point in points(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Kafka is a different tool than RabbitMQ",
        "The models have different prices",
        "The council found no disagreement on caching",
        "The models do not really differ on cost",
        "Resolve merge conflicts early and often",
        "Split the monolith while traffic is low",
        "Response times grow while others sleep",
        "However, a monolith is simpler",
    ],
)
def test_no_disagreement_is_flagged(text: str) -> None:
    assert [point.disagreement for point in points(text)] == [False]


def point(terms: str) -> Point:
    return Point(frozenset(terms.split()), disagreement=False)


@pytest.mark.parametrize(
    ("terms", "count"),
    [
        ("red green gray", 3),
        ("red green gray cyan pink", 3),  # three of five are more than half
        ("red green gray cyan pink brown", 0),  # three of six are not
        ("red", 1),
        ("cyan", 0),
        ("red green amber black", 4),  # two sentences in a row
        ("red green ocher", 0),  # "red green" and "ocher" stand too far apart, each alone is too little
        ("amber black ocher", 3),
    ],
)
def test_an_answer_says_what_stands_together(terms: str, count: int) -> None:
    answer = Answer("Red green gray.\n\n---\n# Amber black\n- ocher\n\nred")
    assert answer.says(point(terms)) == (2 if terms == "red green ocher" else count)


WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "sigma", "微服", "单体", "42")
LINES = st.lists(
    st.tuples(
        st.sampled_from(["", "- ", "1. ", "> ", "**"]),
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    ),
    max_size=8,
)


def written(lines: list[tuple[str, str]]) -> str:
    return "\n".join(f"{mark}{text}" for mark, text in lines)


@settings(max_examples=80, deadline=None)
@given(LINES, LINES)
def test_points_do_not_depend_on_what_stands_around_them(first: list, second: list) -> None:
    start = "Red green gray"  # so that there is a point in each
    one, other, both = ({*points(f"{start}\n{written(lines)}")} for lines in (first, second, first + second))
    assert both == one | other


@settings(max_examples=80, deadline=None)
@given(LINES)
def test_a_text_says_all_its_own_points(lines: list) -> None:
    text = written(lines)
    answer = Answer(text)
    assert all(answer.says(one) == len(one.terms) for one in points(text))


@settings(max_examples=80, deadline=None)
@given(LINES, st.frozensets(st.sampled_from([*WORDS[:4], "42", "unknown"]), min_size=1))
def test_counting_at_all_places_at_once_is_counting(lines: list, terms: frozenset[str]) -> None:
    sentences = [{*text.split()} for _, text in lines if text]
    most = max((len((one | after) & terms) for one, after in pairwise([*sentences, set()])), default=0)
    expected = most if 2 * most > len(terms) else 0
    assert Answer(written(lines)).says(Point(terms, disagreement=False)) == expected
