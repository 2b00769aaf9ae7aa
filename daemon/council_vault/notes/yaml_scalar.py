"""Values as YAML that every reader understands alike, whether it follows YAML 1.1 or 1.2."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime

_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"})
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./()+–—-]*[\w)])?")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def scalar(value: object) -> str:
    """Return ``value`` as a YAML scalar on one line.

    Text is plain where no reader can take it for anything else, else in double quotes as in JSON, with
    characters beyond ASCII as they are. Half a surrogate pair becomes U+FFFD.

    Raises:
        TypeError: ``value`` is no text, number, truth value, date or ``None``.
    """
    match value:
        case str():
            return value if _is_plain(value) else _quoted(value)
        case datetime():
            return _quoted(value.isoformat())
        case date():
            return value.isoformat()
        case float():
            return _number(value)
        case None | bool() | int():
            return json.dumps(value)
        case _:
            raise TypeError(f"{type(value).__name__} is no YAML scalar")


def one_line(value: object) -> str:
    """Return ``value`` as YAML on one line: a list of scalars in flow style, anything else as a scalar."""
    return f"[{', '.join(map(scalar, value))}]" if isinstance(value, list) else scalar(value)


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.casefold() not in _RESERVED


def _number(value: float) -> str:
    """Write a number with a point: without one, YAML 1.1 takes ``1e-07`` for text."""
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"


def _quoted(text: str) -> str:
    quoted = json.dumps(_SURROGATE.sub("\ufffd", text), ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
