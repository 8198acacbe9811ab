"""Evidence given with a question, read word for word: "X refers to column = 'value'", "max(column)".

Linking reads evidence like the question; this adds what is said outright: which column holds which value, and
what a column is for.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from fathom.offline.linking import ROLES, ColumnKey, Floats, Linking, Role, Span, ValueMention
from fathom.offline.linking.records import Comparison, Direction, SuperlativeMention

SAID = 0.96
"""How likely a condition is that the evidence states."""
SHOWN, ORDERED, AGGREGATED = 0.75, 0.9, 0.85

_NAME = r"(?:[A-Za-z_][\w]*\.)?(?:`[^`]+`|\"[^\"]+\"|[A-Za-z_][\w]*)"
_CONDITION = re.compile(
    rf"(?P<name>{_NAME})\s*(?P<operator>>=|<=|!=|<>|=|>|<|\bLIKE\b)\s*"
    r"(?:'(?P<text>(?:[^']|'(?=\w))*)'|\"(?P<quoted>[^\"]*)\"|(?P<number>-?\d+(?:\.\d+)?)(?![\w/-]))",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?P<name>{_NAME})\s+BETWEEN\s+(?P<low>-?\d+(?:\.\d+)?)\s+AND\s+(?P<high>-?\d+(?:\.\d+)?)\b",
    re.IGNORECASE,
)
_CALL = re.compile(
    rf"\b(?P<call>max|min|avg|sum|count)\s*\(\s*(?:distinct\s+)?(?P<name>{_NAME})\s*\)", re.IGNORECASE
)
_REFERS = re.compile(
    rf"\brefers?\s+to\s+(?:the\s+)?(?P<names>{_NAME}(?:\s*(?:,|and)\s*{_NAME})*)", re.IGNORECASE
)
_PHRASE = re.compile(r"(?:^|[;,.])\s*([^;,.]*?)\s*(?:refers?\s+to|means?|is|are|=)\s*$", re.IGNORECASE)
_OPERATORS: Mapping[str, Comparison] = {"<>": "!=", "like": "like"}


@dataclass(frozen=True, slots=True)
class _Said:
    column: ColumnKey
    comparison: Comparison
    value: str | int | float
    upper: int | float | None
    span: Span


def read_evidence(linking: Linking, evidence: str) -> Linking:
    """The linking with what the evidence says outright. Unchanged without evidence."""
    if not evidence.strip():
        return linking
    said = list(_conditions(linking, evidence))
    scores = {role: linking.column_scores[role].copy() for role in ROLES}
    superlatives = list(linking.superlatives)
    for match in _CALL.finditer(evidence):
        call = match["call"].casefold()
        for column, share in _columns(linking, match["name"]):
            if call in {"max", "min"}:
                _raise(scores, linking, column, "order", ORDERED * share)
                _raise(scores, linking, column, "aggregate", 0.5 * share)
                span = _span(linking, match.start(), match.end())
                towards: Direction = "desc" if call == "max" else "asc"
                superlatives.append(SuperlativeMention(span, towards, 1, ((column, towards, share),)))
            else:
                _raise(scores, linking, column, "aggregate", AGGREGATED * share)
    for match in _REFERS.finditer(evidence):
        if not re.match(r"\s*(?:[=<>!(]|like\b|between\b)", evidence[match.end() :], re.IGNORECASE):
            for name in re.findall(_NAME, match["names"]):
                for column, share in _columns(linking, name):
                    _raise(scores, linking, column, "select", SHOWN * share)
    for one in said:
        _raise(scores, linking, one.column, "where", SAID)
    tables = _tables(linking, scores)
    return replace(
        linking,
        values=_values(linking, said),
        column_scores=scores,
        table_scores=tables,
        superlatives=tuple(superlatives),
    )


def _conditions(linking: Linking, evidence: str) -> Iterator[_Said]:
    for match in _CONDITION.finditer(evidence):
        operator = match["operator"].casefold()
        comparison: Comparison = _OPERATORS.get(operator, operator)  # type: ignore[arg-type]
        value: str | int | float
        if match["number"] is not None:
            value = float(match["number"]) if "." in match["number"] else int(match["number"])
        else:
            value = match["text"] if match["text"] is not None else match["quoted"]
        span = _phrase(linking, evidence[: match.start()]) or _span(linking, match.start(), match.end())
        for column, share in _columns(linking, match["name"]):
            if share > 0.5:
                yield _Said(column, comparison, value, None, span)
    for match in _RANGE.finditer(evidence):
        span = _phrase(linking, evidence[: match.start()]) or _span(linking, match.start(), match.end())
        for column, share in _columns(linking, match["name"]):
            if share > 0.5:
                yield _Said(column, "between", _number(match["low"]), _number(match["high"]), span)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _columns(linking: Linking, name: str) -> list[tuple[ColumnKey, float]]:
    """The columns of that name; each with its share of trust: less where its table is less likely."""
    owner, _, column = name.replace("`", "").replace('"', "").rpartition(".")
    found = [
        c
        for c in linking.columns
        if c.column.casefold() == column.casefold() and (not owner or c.table.casefold() == owner.casefold())
    ]
    best = max((linking.table_score(c.table) for c in found), default=1.0) or 1.0
    return [(c, linking.table_score(c.table) / best) for c in found]


def _span(linking: Linking, start: int, end: int) -> Span:
    """The tokens of the evidence between two offsets."""
    inside = [i for i, t in enumerate(linking.tokens) if t.evidence and t.start < end and start < t.end]
    return Span(inside[0], inside[-1] + 1) if inside else Span(len(linking.tokens), len(linking.tokens) + 1)


def _phrase(linking: Linking, before: str) -> Span | None:
    """The words of the question that "... refers to" is about, where they are there."""
    match = _PHRASE.search(before)
    wanted = re.findall(r"\w+", match[1].casefold()) if match else []
    words = [t.lower for t in linking.tokens if not t.evidence]
    if not wanted or len(wanted) > 8:
        return None
    for start in range(len(words) - len(wanted) + 1):
        if words[start : start + len(wanted)] == wanted:
            return Span(start, start + len(wanted))
    return None


def _raise(scores: Mapping[Role, Floats], linking: Linking, column: ColumnKey, role: Role, to: float) -> None:
    place = linking.index[column]
    scores[role][place] = max(float(scores[role][place]), to)


def _tables(linking: Linking, scores: Mapping[Role, Floats]) -> Floats:
    """Table scores raised to the best of their columns."""
    best = np.max([scores[role] for role in ROLES], axis=0)
    raised = linking.table_scores.copy()
    for column, score in zip(linking.columns, best, strict=True):
        place = linking.tables.index(column.table)
        raised[place] = max(float(raised[place]), 0.9 * float(score))
    return raised


def _values(linking: Linking, said: list[_Said]) -> tuple[ValueMention, ...]:
    """The values found, with those that the evidence states first; no value counts twice."""
    stated = [
        ValueMention(
            column=s.column, value=s.value, text=str(s.value), span=s.span, score=1.0, match="exact",
            comparison=s.comparison, upper=s.upper, probability=SAID,
        )
        for s in said
    ]  # fmt: skip
    texts = {(s.column, str(s.value).casefold()) for s in said}
    known = {str(s.value).casefold() for s in said}
    kept = []
    for value in linking.values:
        text = str(value.value).casefold()
        in_evidence = value.span.first < len(linking.tokens) and linking.tokens[value.span.first].evidence
        if (value.column, text) in texts or (text in known and in_evidence):
            continue
        restated = text in known or any(value.span.overlaps(s.span) for s in said)
        trust = 0.3 if restated else 0.5 if in_evidence else 1.0
        kept.append(replace(value, probability=trust * value.probability))
    return tuple(sorted([*stated, *kept], key=lambda v: -v.probability))
