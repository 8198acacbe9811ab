"""Answers as Markdown: to paste into a report, a ticket or a chat, with SQL and rows."""

from collections.abc import Iterable, Sequence

from fathom.records import Answer, Ending, Reading, Result, shown_rows

MOST_ROWS = 50
"""Rows of each answer that are written: a document is read, and `--csv` has all."""
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|#~"} | {"\n": " ", "\r": " "})


def answer_as_markdown(answer: Answer, *, most: int = MOST_ROWS) -> str:
    """One answer under its question as a heading, at most `most` rows of it. Ends with a line break.

    All text from questions, rows and models is escaped, so that none of it becomes markup.
    """
    parts = [f"## {_plain(answer.question.text)}", _plain(answer.text)]
    if answer.ending is Ending.UNSURE:
        for number, reading in enumerate(answer.readings, 1):
            parts.append(f"### Reading {number}: {_plain(reading.text)}")
            parts += [_plain(reading.answer)] if reading.answer else []
            parts += _evidence(reading, most)
    else:
        parts += _evidence(answer, most)
    return "\n\n".join(parts) + "\n"


def conversation_as_markdown(title: str, answers: Iterable[Answer]) -> str:
    """A whole conversation, one answer after the other, under a title."""
    return "\n".join([f"# {_plain(title)}\n", *map(answer_as_markdown, answers)])


def _evidence(given: Answer | Reading, most: int) -> list[str]:
    parts = []
    if given.shown is not None and given.shown.columns:
        parts.append(_table(given.shown, most))
    if given.sql:
        parts.append(_code(given.sql))
    if given.explanation:
        parts.append(_plain(given.explanation))
    if given.assumptions:
        parts.append("\n".join(f"- Assumed: {_plain(a.text)}" for a in given.assumptions))
    if given.confidence is not None:
        parts.append(f"Confidence {given.confidence:.0%}.")
    return parts


def _table(result: Result, most: int) -> str:
    rows = result.rows[:most]
    lines = [
        _row(result.columns),
        _row(["---"] * len(result.columns), plain=True),
        *map(_row, shown_rows(result.columns, rows)),
    ]
    table = "\n".join(lines)
    left = len(result.rows) - len(rows)
    more = f"{left:,} more rows" if left else ""
    cut = "the limits cut the rest" if result.truncated else ""
    told = "; ".join(t for t in (more, cut) if t)
    return f"{table}\n\n({told}.)" if told else table


def _row(cells: Sequence[str], *, plain: bool = False) -> str:
    return f"| {' | '.join(cells if plain else map(_plain, cells))} |"


def _plain(text: str) -> str:
    return text.translate(_SPECIAL)


def _code(sql: str) -> str:
    """A fenced block, its fence longer than any in the text."""
    fence = "```"
    while fence in sql:
        fence += "`"
    return f"{fence}sql\n{sql}\n{fence}"
