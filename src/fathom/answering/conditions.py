"""Conditions of a query as they follow what it counts: “patients whose city is Oslo”."""

from collections.abc import Collection

from sqlglot import exp

from fathom.answering.expressions import in_whole_periods
from fathom.answering.phrases import Phrases, join_words
from fathom.text.inflection import with_article

_STATES = {"has": "that have", "have": "that have", "is": "that are", "are": "that are", "was": "that were"}
_SET, _UNSET = frozenset({"1", "true"}), frozenset({"0", "false"})
_SIMPLE = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between, exp.Like)


def restricting(condition: exp.Expr, phrases: Phrases, flags: Collection[str] = ()) -> str:
    """Words that restrict the things before them, beginning with a space; “where ...” where none fit.

    `flags` are the columns, by folded names, that are true or false.
    """
    parts = list(condition.flatten(unnest=False)) if isinstance(condition, exp.And) else [condition]
    told = [
        f"whose {phrases.of(part.this)} is in {period}" if period else _part(part.unnest(), phrases, flags)
        for part, period in in_whole_periods(parts)
    ]
    if all(told) and len(told) <= 3:
        return f" {join_words(told)}"
    return f" where {phrases.of(condition)}"


def _part(part: exp.Expr, phrases: Phrases, flags: Collection[str]) -> str:
    negated = isinstance(part, exp.Not)
    inner = part.this.unnest() if negated else part
    column = inner.args.get("this")
    if isinstance(inner, exp.EQ) and isinstance(column, exp.Lower | exp.Upper):
        column = column.this  # the sentence leaves out that capitals don't matter
        part = exp.EQ(this=column, expression=inner.expression)
    if not isinstance(column, exp.Column):
        return ""
    words = phrases.of(column).split()
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return _known(column, phrases) if negated else _missing(column, phrases)
    if isinstance(inner, exp.EQ) and not negated:
        said = _marked(column, inner.expression, phrases, flags)
        if said:
            return said
    is_plain = isinstance(inner, _SIMPLE) and inner.args.get("query") is None
    return f"whose {phrases.of(part)}" if is_plain and not _STATES.keys() & set(words) else ""


def _marked(column: exp.Column, value: exp.Expr, phrases: Phrases, flags: Collection[str]) -> str:
    """A flag's name as what the things are: “marked as test”, “that have been withdrawn”; "" for others."""
    words, is_set = phrases.of(column).split(), str(value.this).lower()
    place = next((i for i, word in enumerate(words[:-1]) if word in _STATES), None)
    if is_set not in _SET | _UNSET or value.args.get("is_string"):
        return ""
    isnt = " not" if is_set in _UNSET else ""
    if place is None:
        flag = column.name.casefold() in flags or isinstance(value, exp.Boolean)
        return f"{isnt} marked as {' '.join(words)}".strip() if flag else ""
    verb, rest = words[place], " ".join(words[place + 1 :])
    if verb == "is" and not rest.endswith("ed"):
        return f"{isnt} marked as {rest}".strip()
    if verb in {"has", "have"} and words[place + 1] != "been":
        return f"{'without' if isnt else 'with'} {rest}"
    return f"{_STATES[verb]}{isnt} {rest}"


def _missing(column: exp.Column, phrases: Phrases) -> str:
    said = phrases.of(column)
    done = _done(said)
    return f"that are not {done}" if done else f"with no {said}"


def _known(column: exp.Column, phrases: Phrases) -> str:
    said = phrases.of(column)
    done = _done(said)
    return f"that are {done}" if done else f"with {with_article(said)}"


def _done(said: str) -> str:
    """Take from the name of a time what was done: “closed” of “closed at”; "" from other names."""
    words = said.split()
    if len(words) > 1 and words[-1] in {"at", "on"}:
        words.pop()
    participle = len(words) == 1 and words[0].endswith("ed") and not words[0].endswith("eed")
    return words[0] if participle and len(words[0]) > len("speed") else ""
