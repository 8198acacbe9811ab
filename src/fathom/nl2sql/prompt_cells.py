"""Cells as prompts show them: what the database holds, written so that it can stand in a query.

People's forms (`records.cells`) round, translate and shorten: a model that copies those finds nothing.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import Any

LONGEST_CELL = 200
"""Characters. Of the 4,288 texts that gold queries of BIRD (dev, train) and Spider (train) compare with, the
longest has 100; twice that leaves room, and longer cells are prose."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WORDS = frozenset({"null", "true", "false"})


def prompt_value(value: Any) -> str:
    """One cell: NULL, true or false, numbers with all their digits, texts whole up to 200 characters.

    A text stands in quotes, as SQL has them, where it could be taken for something else: for a number or
    NULL, or because it is empty, has blanks at its ends or several lines. A cut is told with its length.
    """
    if isinstance(value, str):
        short, left_out = _cut(value)
        return (sql_text(short) if _mistakable(value) else short) + left_out
    return _other(value)


def prompt_literal(value: Any) -> str:
    """The same, with every text in quotes."""
    if isinstance(value, str):
        short, left_out = _cut(value)
        return sql_text(short) + left_out
    return _other(value)


def prompt_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The columns' names and then the rows, a line each, with ` | ` between cells."""
    return [" | ".join(columns), *(" | ".join(map(prompt_value, row)) for row in rows)]


def sql_text(text: str) -> str:
    """A text as a literal of SQL, on one line."""
    return "'" + _on_one_line(text).replace("'", "''") + "'"


def _cut(text: str) -> tuple[str, str]:
    more = len(text) - LONGEST_CELL
    return (text[:LONGEST_CELL], f"…[{more:,} more characters]") if more > 0 else (text, "")


def _mistakable(text: str) -> bool:
    return (
        not text
        or text != text.strip()
        or text.casefold() in _WORDS
        or _NUMBER.fullmatch(text) is not None
        or " | " in text
        or text[0] == "'"
        or _on_one_line(text) != text
    )


def _on_one_line(text: str) -> str:
    """Line ends and other control characters as escapes: a row is one line."""
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text)


def _other(value: Any) -> str:
    for kinds, shown in _KINDS:
        if isinstance(value, kinds):
            return shown(value)
    short, left_out = _cut(str(value))
    return _on_one_line(short) + left_out


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)  # the shortest text that gives it back
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal) -> str:
    written_out = value.is_finite() and abs(value.adjusted()) < LONGEST_CELL
    return f"{value:f}" if written_out else str(value)


def _bytes(value: bytes | bytearray | memoryview) -> str:
    held = bytes(value)
    more = len(held) - LONGEST_CELL // 2
    told = f"…[{more:,} more bytes]" if more > 0 else ""
    return f"X'{held[: LONGEST_CELL // 2].hex().upper()}'{told}"


def _mapping(held: Mapping[Any, Any]) -> str:
    return _listed("{", (f"{prompt_value(k)}: {prompt_literal(v)}" for k, v in held.items()), "}")


def _listed(opening: str, values: Iterable[str], closing: str) -> str:
    short, left_out = _cut(", ".join(values))
    return f"{opening}{short}{left_out}{closing}"


_KINDS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (NoneType, lambda _: "NULL"),
    (bool, lambda value: "true" if value else "false"),
    (float, _float),
    (Decimal, _decimal),
    (datetime, lambda value: value.isoformat(" ")),
    (date, lambda value: value.isoformat()),
    ((bytes, bytearray, memoryview), _bytes),
    (Mapping, _mapping),
    ((list, tuple, set, frozenset), lambda held: _listed("[", map(prompt_literal, held), "]")),
)
"""How each kind of value is shown, the more special first."""
