"""Checks of a query's numbers and texts against those that question and evidence say."""

import re
from collections.abc import Iterator

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import GoldParts
from fathom.authoring.audit.question_words import QuestionWords, numbers_in, plain
from fathom.offline.linking.text import tokenize

_UNASKED = frozenset((0.0, 1.0, 2.0, 100.0))
"""Numbers that queries need without their being said: flags, halves and percentages."""
_SPELT_FROM = 3
"""From which number on one in words is likely meant as a number: "one of" and "two" often aren't."""
_SHARED = 0.5
"""The share of a text's words that must be said for the text to count as said."""
_NUMERAL = re.compile(r"-?\d+(?:\.\d+)?$")
_DIGITS = re.compile(r"\d+")
_IN_A_NAME = re.compile(r"[-/:._]\d|\d[-/:]")
_SIGNS = {">": {">", ">="}, ">=": {">", ">="}, "<": {"<", "<="}, "<=": {"<", "<="}}


def check_literals(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Where a query's literals and the question's differ."""
    yield from _missing_numbers(parts, asked)
    yield from _unasked_numbers(parts, asked)
    yield from _comparisons(parts, asked)
    yield from _texts(parts, asked)
    yield from _quoted(parts, asked)


def _missing_numbers(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    held = {n for literal in parts.literals for n in numbers_in(literal.name)}
    named = {n for c in parts.used for n in numbers_in(c.name)} | numbers_in(asked.question.evidence)
    digits = [run for literal in parts.literals for run in _DIGITS.findall(literal.name)]
    for number in asked.numbers:
        first, last = asked.tokens[number.span.first], asked.tokens[number.span.end - 1]
        value = float(number.value)
        if number.ordinal or first.quoted or (first.kind != "number" and value < _SPELT_FROM):
            continue
        # A share may be written as a fraction, and "over 19" as ">= 20".
        if held & {value, value / 100, value * 100, value - 1, value + 1} or value in named:
            continue
        if number.year and any(str(number.value) in run for run in digits):
            continue  # within "201308"
        if not _IN_A_NAME.search(asked.question.text[max(0, first.start - 1) : last.end + 1]):
            yield "number_missing", f"the question says {value:g}, and the query has no such number", {}


def _unasked_numbers(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    said = asked.told_numbers | _UNASKED
    for test in parts.tests:
        if not _NUMERAL.match(test.value):
            continue
        value = abs(float(test.value))
        near = {value, value - 1, value + 1, value * 100}
        known = asked.knows_value(test.column.table, test.column.name, test.value)
        if not near & said and not known and test.value not in asked.told:
            told = f"{test.column.key} is compared with {test.value}, which nobody says"
            yield "number_unasked", told, {"column": test.column.key}


def _comparisons(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    for number in asked.numbers:
        wanted = number.comparison
        if wanted not in _SIGNS or number.limit > 0.5:
            continue
        value = float(number.value)
        signs = {t.operator for t in parts.tests if not t.is_text and float(t.value) == value}
        told = f"the question says {wanted} {value:g}, and the query {', '.join(sorted(signs))}"
        if signs and not signs & _SIGNS[wanted]:
            yield "comparison_turned", told, {}
        elif signs and wanted not in signs:
            yield "comparison_edge", told, {}


def _texts(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Texts compared that nobody says, or that are spelt otherwise than said."""
    told = plain(asked.told)
    for test in parts.tests:
        wanted = plain(test.value)
        if not test.is_text or not re.search(r"[^\d ]", wanted):
            continue
        if wanted in told:
            bare = test.value.casefold()
            if test.operator == "=" and len(bare) > 3 and bare not in asked.told:
                yield "text_respelt", f"the query says {test.value!r}, which is said otherwise", {}
            continue
        said = asked.share(t.stem for t in tokenize(test.value) if t.kind != "sign")
        if said < _SHARED and not asked.knows_value(test.column.table, test.column.name, test.value):
            words = f"{test.column.key} is compared with {test.value!r}, which nobody says"
            yield "text_unasked", words, {"column": test.column.key}


def _quoted(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Texts in quotation marks whose case or signs the query changes; the evidence may ask for that."""
    written = [x.name for x in parts.literals if x.is_string and x.name not in asked.question.evidence]
    for quoted in asked.quoted:
        for text in written:
            if text != quoted and plain(text) == plain(quoted) and text.casefold() in asked.told:
                yield "text_respelt", f"the question quotes {quoted!r}, and the query says {text!r}", {}
