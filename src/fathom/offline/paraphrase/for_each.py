"""Puts how people write into the words that the weights know: "sales per region", "sales by region".

What training questions ask of each thing they say as "for each"; they hardly know "per", and "by" otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.checks.account import sure_values
from fathom.offline.grammars.amounts import asked_money
from fathom.offline.grammars.periods import PERIOD_WORDS
from fathom.offline.grammars.ratios import asks_ratio
from fathom.offline.linking import Linking, QuestionToken
from fathom.offline.linking.levels import CLEARLY_NAMED
from fathom.offline.linking.row_names import names_many, tells_who
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import COUNTS, LISTING, OPENINGS
from fathom.offline.queries.rows import RowNames
from fathom.records import Question
from fathom.text.identifiers import identifier_words

_AGGREGATES = frozenset(
    "number count many average avg mean total sum maximum minimum max min highest lowest largest"
    " smallest".split()
)
_AHEAD = OPENINGS | {"for", "in", "of", "the", "are", "is", "tell", "get"}
_SHOWN = LISTING | {"me", "us", "all", "the"}
_AVERAGES = frozenset(("average", "avg", "mean"))
_ENDS = frozenset("in for from where with of on at during and".split())
_LISTED = frozenset(("list", "find", "return"))
EACH = "for each"


def for_each(question: Question, linking: Linking, names: RowNames) -> Question:
    """The question with "per region", "by region" or "grouped by region" as "for each region".

    Rows alone ("customers per country", "bookings by status") are counted, and what opens with no verb
    becomes a question. Left as they are: other periods and shares, which have a grammar of their own,
    averages of counts and of sums of money, names that hold "per", and "by" of who did something.
    """
    place = _grouping(linking, names)
    if place is None:
        return question
    tokens = linking.tokens
    by_period = tokens[place + 1].lower in PERIOD_WORDS
    start = place - 1 if tokens[place - 1].lower == "grouped" else place
    before, words = question.text[: tokens[start].start].rstrip(" ,"), tokens[:start]
    held = {i for v in sure_values(linking) for i in range(*v.span)}
    named = {i for i in range(start) if _is_named(linking, i)}
    known = all(t.stop or i in held | named for i, t in enumerate(words))
    bare = (known and named - held) or _is_plural(linking, words)
    if bare and not _AGGREGATES & {t.lower for t in words}:
        listed = next((t.start for t in words if t.lower not in _SHOWN), 0)  # "show me sellers per shop"
        before = f"number of {before[listed:]}"
    elif by_period:
        return question
    if not _opens(linking, words):
        before = f"What is the {before[:1].lower()}{before[1:]}"
    each = tokens[place].text if by_period else EACH
    return replace(question, text=f"{before} {each}{question.text[tokens[place].end :]}")


def _is_plural(linking: Linking, words: Sequence[QuestionToken]) -> bool:
    """True if words are one for things, which is no column's: "members"."""
    last = len(words) - 1
    column = linking.alignment[:, last].max(initial=0) >= CLEARLY_NAMED or asked_money(linking) is not None
    return all(t.stop for t in words[:-1]) and names_many(words[-1]) and not column


def _opens(linking: Linking, words: Sequence[QuestionToken]) -> bool:
    """True if words open as questions do: with "order the ...", not with the thing of "order count"."""
    word = words[0].lower
    followed = len(words) > 1 and words[1].stop
    thing = word not in LISTING and _is_named(linking, 0) and not followed
    return word in _AHEAD and not thing


def _grouping(linking: Linking, names: RowNames) -> int | None:
    """The place of the "per" or "by" before what the question groups by."""
    words = [t.lower for t in linking.tokens if not t.evidence]
    averaged = _AVERAGES & set(words)
    summed = COUNTS & set(words) or asked_money(linking, averaged=True) is not None
    if asks_ratio(linking) is not None or (averaged and summed):
        return None
    for place, word in enumerate(words[:-1]):
        if place == 0 or word not in {"per", "by"}:
            continue
        if words[place + 1] in PERIOD_WORDS:
            return place
        kinds = _kinds(linking, place, names, by=word == "by")
        end = len(words) if kinds else _named_until(linking, place + 1)
        if end is None:
            continue
        if word == "per" and not any("per" in identifier_words(c.column) for c in linking.columns):
            return place
        ended = end == len(words) or words[end] in _ENDS or linking.tokens[end].kind == "sign"
        if word == "by" and ended and (kinds or _groups(words[:place])):
            return place
    return None


def _kinds(linking: Linking, place: int, names: RowNames, *, by: bool) -> bool:
    """True if nothing but rows stand before "per" or "by", and behind it, to the end, one of their kinds.

    That is a column of theirs, with `by` none that tells one row from another, as rows are sorted by those;
    or the table of other rows, one for each.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    before = [i for i in range(place) if not tokens[i].stop]
    behind = [t for t in tokens[place + 1 :] if t.kind != "sign" and t.lower not in {"the", "their"}]
    if any(not _is_named(linking, i) for i in before) or tokens[0].lower in _LISTED or not behind:
        return False
    if any(t.kind != "word" or t.stop or t.lower in PERIOD_WORDS for t in behind):
        return False
    rows = {m.table for m in linking.table_mentions if m.span.end == place and m.named}
    return len([t for t in rows if _has_kinds(linking, t, {t.stem for t in behind}, names, by=by)]) == 1


def _has_kinds(linking: Linking, table: str, stems: set[str], names: RowNames, *, by: bool) -> bool:
    """True if words name what the rows of a table are grouped by."""
    own = [c for c in linking.columns if c.table == table and stems <= {*name_stems(c.column)}]
    kinds = [c for c in own if not by or names.sorts(c)]
    others = [
        t for t in linking.tables if t != table and stems <= {*name_stems(t)} and names.refers(table, t)
    ]
    return len(kinds) == 1 if own else len(others) == 1


def _groups(before: list[str]) -> bool:
    """True if what stands before "by" is a number of things, and nothing that was done by somebody."""
    if before[-1] == "grouped":
        return True
    return not tells_who(before[-1]) and bool(_AGGREGATES & set(before))


def _named_until(linking: Linking, place: int) -> int | None:
    """The end of the words from a place that name a table or column, and no value."""
    if any(v.span.first <= place < v.span.end and v.match in {"exact", "quoted"} for v in linking.values):
        return None
    tables = (m.span for m in linking.table_mentions if m.named)
    columns = (m.span for m in linking.column_mentions if m.named)
    return max((s.end for s in (*tables, *columns) if s.first == place), default=None)


def _is_named(linking: Linking, place: int) -> bool:
    """True if a word is part of a table's name."""
    return any(m.span.first <= place < m.span.end and m.named for m in linking.table_mentions)
