"""Checks that question, evidence and query agree: BIRD's alignment of text, knowledge and SQL."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from fathom.authoring.audit.evidence_claims import EvidenceClaim, read_claims
from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import GoldParts
from fathom.authoring.audit.question_words import QuestionWords
from fathom.offline.linking.text import alike, tokenize

_FUNCTIONS: dict[str, tuple[type[exp.Expr], ...]] = {
    "max": (exp.Max, exp.Ordered),
    "min": (exp.Min, exp.Ordered),
    "sum": (exp.Sum, exp.Count, exp.Avg),
    "count": (exp.Count, exp.Sum, exp.Avg),
    "avg": (exp.Avg, exp.Div),
    "divide": (exp.Div, exp.Avg),
    "subtract": (exp.Sub, exp.Ordered, exp.Date, exp.TsOrDsToDate, exp.Max, exp.Min),
    "multiply": (exp.Mul,),
}
"""The forms that each function of a formula may have in a query: an average is a sum divided by a count."""
_NEAR = {
    "=": {"=", "like", ">=", "<=", "<>"},
    "like": {"like", "="},
    ">": {">", ">="},
    ">=": {">", ">="},
    "<": {"<", "<="},
    "<=": {"<", "<="},
}
"""Signs that a query may use for each of the evidence's without turning its sense."""
_DIGITS = re.compile(r"\d+")
_DATED = re.compile(r"\d{4}(?:[-/]\d{1,2})*")


def check_evidence(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Where a query differs from the evidence that its question comes with.

    Statements about words that the question doesn't say are passed over, and alternatives where one is met.
    """
    used = {c.key for c in parts.used} | {c.key for pair in parts.joined for c in pair}
    shown = {c.key for c in parts.returned_columns} - {c.key for c in parts.tested}
    values = [x.name for x in parts.literals]
    for claim in read_claims(asked.question.evidence, asked.schema):
        if not _explains(claim, asked):
            continue
        if claim.columns and not any(keys & used for keys in claim.columns):
            name = min(claim.columns[0])
            told = f"the evidence says {claim.text!r}, and the query doesn't use {name}"
            yield "evidence_column_unused", told, {"column": name}
            continue
        met = claim.offers_choice and any(_same(v, value) for _, _, value in claim.tests for v in values)
        for keys, sign, value in () if met else claim.tests:
            if not keys & shown:  # "were they inpatients": the value is what is asked for
                yield from _condition((keys, sign, value), parts, values, claim)
        yield from _formula(claim, parts)
    if re.search(r"\bdistinct\b", asked.question.evidence, re.IGNORECASE) and not parts.has(exp.Distinct):
        yield "evidence_formula_unused", "the evidence says DISTINCT, and the query doesn't", {}


def unused_evidence(asked: QuestionWords) -> Iterator[Evidence]:
    """Statements of the evidence that explain no word of the question."""
    for claim in read_claims(asked.question.evidence, asked.schema):
        if not _explains(claim, asked):
            yield (
                "evidence_off_question",
                f"the question says nothing of {claim.text!r}",
                {"claim": claim.text},
            )


def _explains(claim: EvidenceClaim, asked: QuestionWords) -> bool:
    phrase = [t.stem for t in tokenize(claim.phrase) if not t.stop and t.kind != "sign"]
    said = [t.stem for t in asked.tokens if not t.stop]
    return not phrase or any(alike(p, s) for p in phrase for s in said)


def _condition(
    test: tuple[frozenset[str], str, str], parts: GoldParts, values: Sequence[str], claim: EvidenceClaim
) -> Iterator[Evidence]:
    keys, sign, value = test
    compared = [t for t in parts.tests if t.column.key in keys and _equal(t.value, value)]
    if compared:
        signs = {t.operator for t in compared}
        told = f"the evidence says {sign} {value}, and the query {', '.join(sorted(signs))}"
        if not signs & _NEAR.get(sign, {sign}):
            yield "evidence_sign_turned", told, {"claim": claim.text}
        elif sign not in ("=", "like", "<>") and sign not in signs:
            yield "evidence_sign_edge", told, {"claim": claim.text}
    elif not any(_same(v, value) for v in values):
        told = f"the evidence says {claim.text!r}, and the query has no {value}"
        yield "evidence_value_unused", told, {"value": value}


def _formula(claim: EvidenceClaim, parts: GoldParts) -> Iterator[Evidence]:
    for function in claim.functions:
        if not parts.has(*_FUNCTIONS[function]):
            told = f"the evidence says {claim.text!r}, and the query has no {function.upper()}"
            yield "evidence_formula_unused", told, {"function": function}
    descending = {bool(o.args.get("desc")) for o in parts.tree.find_all(exp.Ordered)}
    if {"max", "min"} <= set(claim.functions) or len(descending) != 1:
        return
    if "max" in claim.functions and descending == {False} and not parts.has(exp.Max):
        yield "evidence_formula_unused", "the evidence says MAX, and the query orders from the least", {}
    if "min" in claim.functions and descending == {True} and not parts.has(exp.Min):
        yield "evidence_formula_unused", "the evidence says MIN, and the query orders from the most", {}


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def _equal(one: str, other: str) -> bool:
    first, second = _number(one), _number(other)
    return first == second if first is not None and second is not None else _same(one, other)


def _same(one: str, other: str) -> bool:
    """True if two values say one thing: whole numbers one apart may, as "> 19" and ">= 20" do, and dates of
    which one has less of the time."""
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return first == second or (abs(first - second) == 1 and first == int(first))
    one, other = one.casefold().strip("% "), other.casefold().strip("% ")
    if _DATED.match(one) and _DATED.match(other):
        pairs = zip(_DIGITS.findall(one), _DIGITS.findall(other), strict=False)
        return all(int(a) == int(b) for a, b in pairs)
    return one.split() == other.split()
