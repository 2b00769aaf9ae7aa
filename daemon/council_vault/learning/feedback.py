"""What a person's own words about an answer mean as a rating."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_POSITIVE, _NEUTRAL, _NEGATIVE = "positive", "neutral", "negative"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MEANINGS = {
    _POSITIVE: "positive great perfect perfectly nailed exactly helpful helped excellent awesome amazing "
    "brilliant fantastic wonderful outstanding superb insightful useful good nice solid impressive impressed "
    "loved kudos thumbsup",
    _NEGATIVE: "negative wrong off bad badly missed misses unhelpful useless terrible awful horrible poor "
    "poorly incorrect inaccurate misleading irrelevant nonsense garbage rubbish worse worst disappointing "
    "disappointed hallucinated hallucinates hallucination hallucinations hate hated sucks crap bullshit "
    "fail failed fails confusing meaningless off-topic off-base off-target off-track off-point thumbsdown",
    _NEUTRAL: "neutral okay ok okey fine decent mixed meh so-so average alright adequate passable mediocre",
}
_MEANING = {word: rating for rating, words in _MEANINGS.items() for word in words.split()}
_BAD_IF_NEGATED = _words("help right correct true accurate like liked work works worked")
_OPPOSITE = {_POSITIVE: _NEGATIVE, _NEGATIVE: _POSITIVE, _NEUTRAL: _NEGATIVE}

_APOSTROPHES = str.maketrans("’‘ʼ＇`", "'''''")
# Variation selectors and skin tones change how a sign looks and not what it means.
_DRESSING = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
# Each sign stands for itself, whatever the words around it say.
_SIGNS = (
    (re.compile(r"👍|\(\+\)|:\+1:|(?<!\S)\+1(?!\S)|\bthumbs?[\s_-]*up\b"), "; thumbsup; "),
    (re.compile(r"👎|\([-−–]\)|:-1:|(?<!\S)-1(?!\S)|\bthumbs?[\s_-]*down\b"), "; thumbsdown; "),
    (re.compile(r"\(~\)"), "; neutral; "),
)
# Phrases that do not mean what their words do.
_PHRASES = tuple(
    (re.compile(rf"\b(?:{phrase})\b"), f" {meaning} ")
    for phrase, meaning in (
        (r"not (?:only|just|to mention|expect\w*)|(?:can't|cannot|couldn't) believe", ""),
        (r"(?:better|trade|sign(?:ed)?|kick(?:ed)?|turn(?:ed)?|switch(?:ed)?|take|show|hands) offs?", ""),
        (r"off (?:to|the top)|good (?:question|morning|evening|night|day|luck)|fine tun\w+", ""),
        (r"(?:can't|cannot) complain|spot[ -]on|(?:can't|couldn't) be better|couldn't agree more", "perfect"),
        (
            r"well done|love (?:it|this|that)|(?:no|zero) (?:complaints?|notes)|(?:can't|cannot) fault",
            "great",
        ),
        (r"nothing to complain about|couldn't (?:ask for|have asked for|want) more", "great"),
        (
            r"(?:that|this|it|you)(?:'s| is|'re| are| was| were) (?:absolutely |exactly )?(?:right|correct)",
            "great",
        ),
        (r"(?:could not|couldn't|can't|cannot) be worse|waste of time|not even close", "bad"),
        (r"not (?:quite )?what i(?:'d| had| have)? (?:asked|wanted|needed|meant|was after)", "bad"),
        (r"made (?:it|this|that|things|stuff|them) up|mak(?:es|ing) (?:things|stuff) up", "bad"),
        (r"(?:i|we) (?:was|were|am|are) (?:wrong|off|mistaken)", ""),
        (r"miss(?:es|ed)? nothing", "not missed"),
        (r"miss the (?:point|mark)|not (?:much|any|a lot of) (?:help|use)|no (?:help|good|use)", "bad"),
        (r"far from|anything but|less than", "not"),
        (r"hit (?:and|or) miss|so so|mixed (?:bag|feelings)", "mixed"),
        (r"could (?:have been|be) (?:better|more \w+)|room for improvement", "decent"),
    )
)
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_CLAUSE = re.compile(r"[,;:—–()\"“”/]|\s-+\s|\b(?:but|and|though|although|however|yet|while)\b")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_ASKING = _words("what what's why how when where which who whose can could should would do does did is are")
# A sentence that begins so asks for something, as a question does.
_DEMANDING = _words("tell show write explain describe implement compare draft give summarize let's")
_LEADING = _words("please now ok okay then and also so next")
_HEDGES = _words("partly partially half somewhat kinda sorta")
_NEGATORS = _words(
    "not never nothing hardly barely neither nor cannot without "
    "isnt wasnt arent werent dont doesnt didnt cant couldnt wouldnt aint"
)
_REACH = 5  # words from one that negates to the one that is negated: "don't think that was very helpful"


def rating_in_words(text: str) -> str | None:
    """Return the rating that a person's words or signs mean: ``positive``, ``negative`` or ``neutral``.

    What is negated means the opposite ("not helpful", "not bad"). Praise and blame together are mixed
    feedback, which is neutral; beside one of them, a word such as "okay" only leads over. What somebody asks
    about, or for, says nothing of the answer. Only whole words count, in any case.

    Returns:
        The rating, or ``None`` where nothing in the text is a signal.
    """
    plain = _DRESSING.sub("", text).translate(_APOSTROPHES).casefold()
    for sign, word in _SIGNS:
        plain = sign.sub(word, plain)
    plain = "\n".join(" ".join(line.split()) for line in plain.splitlines())
    for phrase, meaning in _PHRASES:
        plain = phrase.sub(meaning, plain)
    found = {rating for words in _clauses(plain) for rating in _ratings_in(words)}
    if {_POSITIVE, _NEGATIVE} <= found:
        return _NEUTRAL
    return next((rating for rating in (_POSITIVE, _NEGATIVE, _NEUTRAL) if rating in found), None)


def _clauses(text: str) -> Iterator[list[str]]:
    """Yield the words of each clause, without what is asked, or asked for."""
    for sentence in _SENTENCE.findall(text):
        asks = sentence.rstrip().endswith("?")
        for clause in _CLAUSE.split(sentence):
            words = _WORD.findall(clause)
            if next((word for word in words if word not in _LEADING), None) in _DEMANDING:
                continue
            end = next((place for place, word in enumerate(words) if asks and word in _ASKING), len(words))
            yield words[:end]


def _ratings_in(words: list[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        negated = any(map(_negates, words[max(0, place - _REACH) : place]))
        rating = _MEANING.get(word)
        if rating is None:
            if negated and word in _BAD_IF_NEGATED:
                yield _NEGATIVE
        elif place and words[place - 1] in _HEDGES:
            yield _NEUTRAL
        else:
            yield _OPPOSITE[rating] if negated else rating


def _negates(word: str) -> bool:
    return word in _NEGATORS or word.endswith("n't")
