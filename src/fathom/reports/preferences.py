"""The result of comparing two systems' answers, as a page or as Markdown: win rates by annotator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.errors import ConfigError, InputError
from fathom.evaluation.answers.preferences import Preferences
from fathom.evaluation.metrics import Preference
from fathom.files import write_whole
from fathom.reports.charts import Stack, stacks
from fathom.reports.page import plain_page
from fathom.reports.sheet import UNKNOWN, Cell, Chapter, Figure, Sheet, count, heads, share, text
from fathom.reports.tables import chapter_lines

_LONGEST_NAME = 13
"""Characters of an annotator's name that fit beside a bar; the table has it whole."""
_FORMS = {"exact": ".1%", "kappa": ".3f"}
_NOTE = (
    "A is the first, B the second. The win rate splits ties, both good and both bad, evenly between them; "
    "intervals are of the mean over questions."
)


def write_preferences(
    compared: Mapping[str, Preferences], out: Path, *, first: str, second: str, pairs: int
) -> None:
    """Write the win rates of one comparison or more, each under its name; `out` ends in .html or .md.

    Raises `ConfigError` for another ending and `InputError` for a file that can't be written.
    """
    made = [preference_chapter(compared)]
    title, subtitle = f"{first} against {second}", f"A is {first}, B is {second}; {pairs:,} pairs."
    if out.suffix.casefold() == ".html":
        page = plain_page(made, title=title, subtitle=subtitle)
    elif out.suffix.casefold() == ".md":
        page = "\n".join([f"# {title}", "", subtitle, *chapter_lines(made)]) + "\n"
    else:
        raise ConfigError(f"{out}: a chart of win rates is written as .html or .md.")
    try:
        write_whole(out, page, mode=0o644)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error


def preference_chapter(compared: Mapping[str, Preferences]) -> Chapter:
    """Who wins how often, by annotator of each comparison, and how far annotators agree."""
    rows, bars, alike, counted_over = [], [], [], []
    for name, found in compared.items():
        for annotator in found.labels:
            counted, rate = found.of(annotator)
            counted_over.append(counted.n)
            low, high = rate.interval() or (0.0, 1.0)
            won = share({"value": rate.value, "interval": (low, high), "n": counted.n})
            parts = _parts(counted)
            shares = [_counted(part, counted.n) for _, _, part in parts]
            rows.append([text(name), text(annotator), *shares, won])
            shown = annotator if len(compared) == 1 else name
            short = shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"
            drawn = [(mark, told, part / counted.n if counted.n else 0.0) for mark, told, part in parts]
            bars.append(Stack(0, "", short, drawn))
        alike += [[text(name), *_agreement(one)] for one in found.agreements()]
    title = "Win rate"
    head = heads("comparison", "annotator", *(told for _, told, _ in _parts(Preference(0, 0, 0, 0))),
                 "A's win rate, ties split")  # fmt: skip
    sheet = Sheet(title, head, rows, lead=2)
    note = "From left to right, A: the first wins, G: both good, N: neither is, B: the second wins."
    figure = Figure(title, note, stacks(bars, label=title), sheet, counted_over)
    sheets = []
    if alike:
        head = heads("comparison", "annotators", "N", "alike", "kappa")
        sheets.append(Sheet("Agreement", head, alike, lead=3))
    return Chapter("preference", "Preference", _NOTE, sheets, (figure,))


def _parts(counted: Preference) -> list[tuple[str, str, int]]:
    return [
        ("A", "A wins", counted.first),
        ("G", "both good", counted.both_good),
        ("N", "both bad", counted.both_bad),
        ("B", "B wins", counted.second),
    ]


def _counted(part: int, n: int) -> Cell:
    return Cell(f"{100 * part / n:.1f} %" if n else UNKNOWN, f"{part:,} of {n:,}")


def _agreement(one: Mapping[str, Any]) -> list[Cell]:
    told = [UNKNOWN if one[key] is None else format(one[key], form) for key, form in _FORMS.items()]
    return [text(" and ".join(one["annotators"])), count(one["n"]), *map(text, told)]
