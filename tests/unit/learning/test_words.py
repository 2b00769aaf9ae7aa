"""Words and terms of texts in any script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.words import content_words, stem, terms, words

ANY_TEXT = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("?! -- …  \t\n", []),
        ("Compare A and B.", ["compare", "a", "and", "b"]),
        ("micro-services, trade-offs", ["micro", "services", "trade", "offs"]),
        ("snake_case/path|x", ["snake", "case", "path", "x"]),
        ("Don't 'quote' the users' l'idée", ["don't", "quote", "the", "users", "l'idée"]),
        ("don’t donʼt don‘t don＇t", ["don't"] * 4),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("version 3.11 costs $70,000", ["version", "3", "11", "costs", "70", "000"]),
        ("Ελλάδα ΚΌΣΜΟΣ κόσμος", ["ελλάδα", "κόσμοσ", "κόσμοσ"]),
        ("हिन्दी में लिखो", ["हिन्दी", "में", "लिखो"]),
        ("مَرْحَبًا بالعالم مرحبا ســلام", ["مرحبا", "بالعالم", "مرحبا", "سلام"]),
        ("שָׁלוֹם עולם ג׳ירפה", ["שלום", "עולם", "ג'ירפה"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("微服务,单体", ["微", "服", "务", "单", "体"]),
        ("用Python写", ["用", "python", "写"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្", "មែ", "រ"]),
        ("カフェ ｶﾌｪ", ["カ", "フ", "ェ", "カ", "フ", "ェ"]),
        ("a\u200bb so\u00adft ❤\ufe0f \u202eword\u202c", ["ab", "soft", "word"]),
        ("\ud83d half \udc00", ["half"]),
        ("\u0301 \u0301a", ["\u0301a"]),
        ("ั ัส", ["ส"]),
        ("\u0390 \u1fb6", ["\u0390", "\u1fb6"]),  # folding takes these apart
        ("ﬁne ① Ｗｉｄｅ", ["fine", "1", "wide"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which of these is the best for you, and why?", ["best"]),
        ("Welche von diesen ist für uns die beste Datenbank?", ["best", "datenbank"]),
        ("Quelle base pour notre équipe, et pourquoi ?", ["bas", "équipe"]),
        ("¿Cuál debería ser nuestra base? Qual deveria ser a nossa base?", ["bas", "bas"]),
        ("Quale dovrebbe essere la nostra scelta?", ["scelta"]),
        ("Welke moeten wij kiezen?", ["kiezen"]),
        ("Почему нам нужно ещё хранилище? Чому нам потрібно сховище?", ["хранилище", "сховище"]),
        ("a van, a car, a door, a bin and a war", ["van", "car", "door", "bin", "war"]),
        ("ab abc a b", ["abc"]),
        ("caches Caching cached CACHE", ["cach"] * 4),
        (
            "l'architecture d'entreprise isn't the architect's l'other",
            ["architectur", "entrepris", "architect"],
        ),
        ("微服务，单体", ["微服", "服务", "单体"]),
        ("体 vs 用 Go", ["体", "用"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("데이터베이스를 비교", ["데이", "이터", "터베", "베이", "이스", "스를", "비교"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("5 of 10 in 2025", ["2025"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_numbers_are_terms_where_asked_for() -> None:
    assert terms("Take 5 mg at 12:30", numbers=True) == ["tak", "5", "12", "30"]


@pytest.mark.parametrize(
    "forms",
    [
        "compare compares compared comparing",
        "query queries",
        "policy policies",
        "try tries tried",
        "run running runs",
        "plan plans planned planning",
        "match matches matching",
        "box boxes boxed",
        "pass passes passing passed",
        "design designs designed designing",
        "implement implementation implementations implementing",
        "quick quickly",
        "speed speeds speeding",
        "deploy deploys deployed deploying",
        "class classes",
    ],
)
def test_inflected_forms_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "thing ten",
        "station state",
        "bus business",
        "sing single",
        "design designate",
        "press pressure",
        "red read",
    ],
)
def test_other_words_have_other_stems(pair: str) -> None:
    first, second = pair.split()
    assert stem(first) != stem(second)


@pytest.mark.parametrize(
    "word", ["bus", "analysis", "string", "feed", "key", "nation", "über", "страница", "used"]
)
def test_what_only_looks_inflected_stays(word: str) -> None:
    assert stem(word) == word


def test_content_words_are_as_written() -> None:
    text = "Should SaaS teams on PostgreSQL use 微服务?"
    assert content_words(text) == ["SaaS", "teams", "PostgreSQL"]


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT)
def test_form_and_case_make_no_difference(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
    assert terms(text.casefold()) == terms(text)


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT)
def test_words_are_whole_words(text: str) -> None:
    found = words(text)
    assert all(any(map(str.isalnum, word)) and not any(map(str.isspace, word)) for word in found)
    assert words(" ".join(found)) == found


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_texts_apart_have_their_own_words(first: str, second: str) -> None:
    assert words(f"{first}\n{second}") == words(first) + words(second)
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)


@pytest.mark.parametrize(
    "unit", ["a", "a\u0301\u0316", "'", "สวัสดี", "微", "한", "\ud800", "a'", "👩\u200d", "\u0301\u0316"]
)
def test_a_hundred_thousand_characters(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    assert len(words(text)) <= 100_000
    assert len(terms(text)) <= 100_000


def test_endless_marks_are_one_word() -> None:
    # Unicode's normal form alone would take many minutes.
    assert len(words("a" + "\u0301\u0316" * 500_000)) == 1
