"""Conditions of a query as they follow what it counts: “patients whose city is Oslo”."""

from collections.abc import Collection

from sqlglot import exp

from fathom.answering.expressions import in_whole_periods
from fathom.answering.phrases import Phrases, join_words
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular, with_article

_STATES = {"has": "that have", "have": "that have", "is": "that are", "are": "that are", "was": "that were"}
_SET, _UNSET = frozenset({"1", "true"}), frozenset({"0", "false"})
_HAPPENED = frozenset(
    f"{verb} {when}" for verb in "paid left sold born sent built made".split() for when in ("on", "at")
)
"""Names of times whose participle doesn't end in -ed."""
_TIMES = frozenset(("in", "on", "before", "after", "between"))
_SIMPLE = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between, exp.Like)


def restricting(condition: exp.Expr, phrases: Phrases, flags: Collection[str] = ()) -> str:
    """Words that restrict the things before them, beginning with a space; “where ...” where none fit.

    `flags` are the columns, by folded names, that are true or false.
    """
    parts = list(condition.flatten(unnest=False)) if isinstance(condition, exp.And) else [condition]
    told = [
        _dated(f"{phrases.of(part.this)} is in {period}", part.this, phrases)
        if period
        else _part(part.unnest(), phrases, flags)
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
    if isinstance(inner, exp.In) and (things := _referring(column, inner.args.get("query"))):
        return f"{'without' if negated else 'with'} {things}"
    is_plain = isinstance(inner, _SIMPLE) and inner.args.get("query") is None
    return _dated(phrases.of(part), column, phrases) if is_plain and not _STATES.keys() & set(words) else ""


def _dated(told: str, column: exp.Expr, phrases: Phrases) -> str:
    """Words about a column, as “whose price is above 5”; about a time, as “joined in 2024”."""
    said = phrases.of(column)
    when = told.removeprefix(f"{said} is ")
    happened = _done(said) or (said.removesuffix(" on").removesuffix(" at") if said in _HAPPENED else "")
    return f"{happened} {when}" if happened and when.split()[0] in _TIMES else f"whose {told}"


def _referring(column: exp.Column, query: exp.Expr | None) -> str:
    """The things of another table that refer to rows by their key, and nothing else; "" for other queries."""
    inner = query.unnest() if query is not None else None
    outer = column.parent_select
    if not isinstance(inner, exp.Select) or not isinstance(outer, exp.Select):
        return ""
    tables = [q.args["from_"].this if q.args.get("from_") else None for q in (outer, inner)]
    shown = inner.expressions[0].unalias()
    restricted = any(inner.args.get(part) for part in ("joins", "where", "group", "having", "limit"))
    if restricted or not all(isinstance(t, exp.Table) for t in tables) or not isinstance(shown, exp.Column):
        return ""
    rows, others = (spoken(t.name).casefold() for t in tables if t is not None)
    own = f"{singular(rows)} id"
    keys = {spoken(key.name).casefold() for key in (column, shown)}
    return plural(others) if rows != others and own in keys and keys <= {own, "id"} else ""


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
    return words[0] if participle and len(words[0]) >= len("hired") else ""
