"""Two numbers held against each other: "how many more flights go to Boston than to Denver", "by what
percentage did revenue grow from 2021 to 2022", "the ratio of the length of reports to that of theses".

The first number is asked for as it stands; the second is the same of another value, another time, or a number
in words of its own.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from fathom.offline.combined.groups import Grouped, for_each, grouped
from fathom.offline.combined.records import (
    Combined,
    Composition,
    Form,
    change,
    difference,
    is_one_number,
)
from fathom.offline.grammars.ratios import quotient
from fathom.offline.linking import LinkedValue, Linking
from fathom.offline.linking.text import tokenize
from fathom.offline.linking.value_match import CODED
from fathom.offline.linking.wordlists import ASCENDING, DESCENDING, MONTHS
from fathom.offline.queries.query import Expression, Literal, Query, Subquery, rebuilt
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_E = r"[\s?.!]*$"
_I = re.IGNORECASE
_BE = r"(?:is|are|was|were)"
_LESS = frozenset("fewer less lower smaller cheaper shorter younger".split())
_UP = "change|changed|grow|grown|grew|rise|risen|increase|increased|improve|improved|go up|gone up|move|moved"
_DOWN = "decrease|decreased|decline|declined|fall|fallen|drop|dropped|shrink|shrunk|go down|gone down"
_NOUNS_UP = "change|growth|increase|rise"
_NOUNS_DOWN = "decrease|decline|fall|drop"
_PER_CENT = r"(?:percentage|per\s?cent|%)"

_MORE = Pattern(
    rf"how\s+(?P<many>many|much)\s+(?P<way>more|fewer|less)\s+(?P<first>.+?)\s+than\s+(?P<other>.+?){_E}", _I
)
_HIGHER = Pattern(
    rf"(?:by\s+)?how\s+much\s+(?P<way>higher|lower|greater|larger|bigger|smaller)\s+{_BE}\s+(?P<first>.+?)"
    rf"\s+than\s+(?P<other>.+?){_E}",
    _I,
)
_EXCEEDS = Pattern(
    r"by\s+how\s+(?:much|many\s+\w+)\s+(?:does|do|did)\s+(?P<first>.+?)\s+(?:exceed|beat|surpass|outperform)\s+"
    rf"(?P<other>.+?)(?:\s+(?:in|on|by)\s+(?:terms\s+of\s+)?(?:their|its|the)\s+(?P<what>.+?))?{_E}",
    _I,
)
_ASKED = rf"(?:what\s+{_BE}\s+|calculate\s+|compute\s+|show\s+|find\s+|give\s+)?(?:me\s+)?(?:the\s+)?"
_BETWEEN = Pattern(
    rf"{_ASKED}(?:difference|gap)\s+(?:in\s+(?P<what>.+?)\s+)?between\s+(?P<first>.+?)\s+and\s+"
    rf"(?P<other>.+?){_E}",
    _I,
)
_RATIO = Pattern(
    rf"{_ASKED}ratio\s+(?:in\s+(?P<what>.+?)\s+between|between|of)\s+(?P<first>.+?)\s+(?:and|to|versus|vs\.?)\s+"
    rf"(?P<other>.+?){_E}",
    _I,
)
_GREW = Pattern(
    rf"(?:by\s+)?(?:how\s+(?:much|many)|what\s+(?P<share>{_PER_CENT}))\s+(?:did|has|have)\s+(?P<what>.+?)\s+"
    rf"(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\s+(?:from|between)\s+(?P<other>.+?)\s+(?:to|and)\s+"
    rf"(?P<first>.+?){_E}",
    _I,
)
_GROWTH = Pattern(
    rf"(?:what\s+{_BE}\s+)?(?:the\s+)?(?P<share>{_PER_CENT}\s+)?(?:(?P<up>{_NOUNS_UP})|(?P<down>{_NOUNS_DOWN}))"
    r"\s+(?P<rate>rate\s+)?(?:in|of)\s+"
    rf"(?P<what>.+?)\s+(?:from|between)\s+(?P<other>.+?)\s+(?:to|and)\s+(?P<first>.+?){_E}",
    _I,
)
_SAME_NUMBER = Pattern(r"(?:the\s+)?(?:that|those|ones?|number|figure)\s+(?=(?:of|in|for|from|at|on)\b)", _I)
_SPREAD = Pattern(rf"(?:the\s+)?(?:{'|'.join(sorted(ASCENDING | DESCENDING))})\s*$", _I)
_AVERAGED = Pattern(r"(?:,\s*)?\bon\s+average\b", _I)
_NUMBER_OF = Pattern(
    r"(?:the\s+)?(?:number|average|mean|total|sum|count|median|maximum|minimum|highest|lowest)\b", _I
)
_THERE = r"(?:\s+(?:(?:are|were|is|was)\s+there|do\s+we\s+have|exist))?"
_ENDS = Pattern(rf"(?<=\w){_THERE}\Z", _I)
_HOW_MANY = Pattern(
    r"(how\s+(?:many|much)\s).+?((?:\s+(?:(?:are|were|is|was)\s+there|do\s+we\s+have|exist))?)\?", _I
)
_WERE_THERE = Pattern(r"(?P<rows>.+?)\s+(?:are|were)\s+there\s+(?P<rest>.+)", _I)
_VERB = Pattern(r"\b(?:go|goes|are|is|were|was|do|does|did|have|has|had|came|come|live|lives)\b", _I)
_MONTH = rf"(?:{'|'.join(m for m in MONTHS if len(m) > 2)})"
_TIME = Pattern(rf"\b(?:(?:{_MONTH}|q[1-4])\s+)?(?:19|20)\d\d\b|\b{_MONTH}\b", _I)
_LIKELY = 0.3
_OF = ("of", "in", "for")


_PLURAL = Pattern(r"\w{2}s\b")
_Together = Callable[[Sequence[Query]], Combined | None]
_HELD_AGAINST = Pattern(r"\b(?:ratio|difference|gap)\s", _I)


@dataclass(frozen=True, slots=True)
class _Said:
    """Two numbers in words: questions that may ask for the first, the words for the second, and the form that
    combines them."""

    firsts: tuple[str, ...]
    other: str
    form: Form
    told: str
    turned: bool = False
    needed: bool = True


def contrasts(text: str, linking: Linking) -> Iterator[Composition]:
    """The two numbers that a question holds against each other, asked one by one, perhaps by group."""
    asked = grouped(text) if _HELD_AGAINST.search(text) else Grouped(text)
    for one in _pairs(asked.text, linking, asked.descending):
        questions = (
            tuple(f"{q.rstrip(' ?')} {asked.group}?" for q in one.questions) if asked.group else one.questions
        )
        yield replace(one, questions=questions)


def _pairs(text: str, linking: Linking, descending: bool | None) -> Iterator[Composition]:
    for said in _read(text):
        together = partial(_together, said, descending)
        averaged = bool(_AVERAGED.search(text)) and not any(map(_AVERAGED.search, said.firsts))
        tail = " on average" if averaged else ""
        other = _AVERAGED.sub("", said.other).strip(" ,")
        for first in said.firsts:
            question = first.rstrip(" ?") + tail + "?"
            yield from _of_values(question, other, said.needed, together, linking)
            for second in _seconds(question, other):
                yield Composition((question, second), together, said.needed)


def _read(text: str) -> Iterator[_Said]:
    if found := _MORE.match(text):
        firsts = tuple(_counting(found["many"], found["first"], found["other"]))
        turned = found["way"].casefold() in _LESS
        yield _Said(firsts, _ENDS.sub("", found["other"]), difference, "less", turned)
    elif found := _HIGHER.match(text):
        turned = found["way"].casefold() in _LESS
        yield _Said((f"What is {found['first']}?",), found["other"], difference, "less", turned)
    elif found := _EXCEEDS.match(text):
        first = f"{found['what']} of {found['first']}" if found["what"] else found["first"]
        yield _Said((f"What is the {first.removeprefix('the ')}?",), found["other"], difference, "less")
    elif found := _GREW.match(text) or _GROWTH.match(text):
        turned, of_whole = bool(found["down"]), bool(found["share"] or found.groupdict().get("rate"))
        told = "compared in per cent with" if of_whole else "less"
        form: Form = difference if not of_whole else _fallen if turned else change
        asked = _asked_of(found["what"], found["first"], ("in",))
        yield _Said(asked, found["other"], form, told, turned and not of_whole)
    elif found := _BETWEEN.match(text) or _RATIO.match(text):
        if _SPREAD.match(found["first"]):
            return  # "the highest and the lowest price" are of one column
        what, first = found["what"], found["first"]
        if not what and (end := _said_of_both(first, found["other"])):
            first = f"{first} {end}"
        asked = _asked_of(what, first, _OF) if what else tuple(_asked_for(first, found["other"]))
        if found.re is _RATIO.compiled:
            yield _Said(asked, found["other"], quotient, "over", needed=False)
        else:
            yield _Said(asked, found["other"], difference, "less")


def _said_of_both(first: str, other: str) -> str:
    """Give the end of the second number that belongs to the first as well: "settled to claimed in 2020"."""
    ends = re.finditer(r"\s(?P<how>in|on|at|during|for)\s+(?=\S)", other, _I)
    new = (e for e in ends if not re.search(rf"\b{e['how']}\b", first, _I))
    return other[found.start("how") :] if (found := next(new, None)) else ""


def _fallen(now: Expression, before: Expression) -> Expression:
    """By how many per cent a number is lower than another."""
    return quotient(difference(before, now), before, 100)


def _asked_of(what: str, whose: str, prepositions: Sequence[str]) -> tuple[str, ...]:
    """Write the questions that may ask for a number of somebody or of some time."""
    if _TIME.fullmatch(whose):
        prepositions = ("in",)
    whole = what if re.match(r"(?:the|our)\s", what, _I) else f"the {what}"
    asked = tuple(f"What is {whole} {p} {whose}?" for p in prepositions)
    counted = () if _NUMBER_OF.match(what) else (f"What is the number of {what} {prepositions[0]} {whose}?",)
    return (*asked, *counted)


def _asked_for(first: str, other: str) -> Iterator[str]:
    """Write the questions that may ask for a number: in its own words, or "how many" for a plural."""
    yield f"What is {first}?"
    if not _NUMBER_OF.match(first) and _PLURAL.search(f"{first} {other}"):
        yield f"How many {first} are there?"


def _counting(many: str, first: str, other: str) -> Iterator[str]:
    """Write the questions that may ask for the first of two numbers of rows, or amounts."""
    if found := _WERE_THERE.fullmatch(first):
        yield f"What is the number of {found['rows']} {found['rest']}?"
    end = _ENDS.search(other)
    verb = "" if _VERB.search(first) else (end and end[0]) or " are there"
    yield f"How {many} {first}{verb}?"


def _of_values(
    question: str, other: str, needed: bool, together: _Together, linking: Linking
) -> Iterator[Composition]:
    """Of one value and of another of the same column: the second query differs by that value alone."""
    pairs = [
        (a, b)
        for a, b in product(linking.values, linking.values)
        if a.column == b.column
        and a.value != b.value
        and _is_sure(a)
        and _is_sure(b)
        and _once(a.text, question)
        and _once(b.text, other)
        and not _once(b.text, question)
        and not _once(a.text, other)
    ]
    pairs.sort(key=lambda p: -(p[0].probability + p[1].probability + 0.1 * len(p[0].text + p[1].text)))
    for one, two in pairs[:1]:
        if _adds_nothing(_without(other, two.text), question):
            yield Composition((question,), partial(_exchanged, together, one, two), needed)
        elif _ends_in(question, one.text):  # "more female than male students"
            asked = _replaced(question, one.text, _replaced(other, two.text, one.text))
            yield Composition((asked,), partial(_exchanged, together, one, two), needed)


def _ends_in(question: str, words: str) -> bool:
    """True if nothing but a verb follows some words."""
    return bool(re.search(rf"\b{re.escape(words)}{_THERE}\?", question, _I))


def _is_sure(value: LinkedValue) -> bool:
    return value.match in CODED and value.probability >= _LIKELY


def _once(words: str, text: str) -> bool:
    return len(re.findall(rf"\b{re.escape(words)}\b", text, _I)) == 1


def _without(text: str, words: str) -> str:
    return _replaced(text, words, " ")


def _replaced(text: str, words: str, by: str) -> str:
    return re.sub(rf"\b{re.escape(words)}\b", lambda _: by, text, flags=_I)


def _adds_nothing(rest: str, question: str) -> bool:
    """True if words are grammar, or said in the question already."""
    said = {t.stem for t in tokenize(question)}
    return all(t.stop or t.stem in said for t in tokenize(rest) if t.kind == "word")


def _exchanged(
    together: _Together, one: LinkedValue, two: LinkedValue, queries: Sequence[Query]
) -> Combined | None:
    """The number of one value held against that of another."""

    def other(node: object) -> object:
        return Literal(two.value) if node == Literal(one.value) else node

    second = rebuilt(queries[0], other)
    return together((queries[0], second)) if second != queries[0] else None


def _seconds(question: str, other: str) -> Iterator[str]:
    """The questions that may ask for the second number: of another time, or in words of its own."""
    here, there = list(_TIME.finditer(question)), list(_TIME.finditer(other))
    if len(here) == len(there) == 1:
        if _adds_nothing(_without(other, there[0][0]), question):
            yield f"{question[: here[0].start()]}{there[0][0]}{question[here[0].end() :]}"
        return
    plain = _SAME_NUMBER.sub("", other)
    many = _HOW_MANY.match(question)
    if _NUMBER_OF.match(other):
        yield f"What is {other}?"
    elif many:
        yield f"{many[1]}{plain}{many[2]}?"
    preposition = re.match(r"(?:to|from|in|at|on|by|for|with|of)\s", plain, _I)
    if preposition and (places := list(re.finditer(rf"\b{preposition[0]}", question, _I))):
        yield f"{question[: places[-1].start()]}{plain}?"


def _together(said: _Said, descending: bool | None, queries: Sequence[Query]) -> Combined | None:
    """The query of two numbers; None where either is none, or both are the same."""
    if len(queries) != 2 or queries[0] == queries[1]:
        return None
    one, two = reversed(queries) if said.turned else queries
    found = for_each(said.form, one, two, descending)
    if found is None and is_one_number(one) and is_one_number(two):
        alike = type(one.select[0]) is type(two.select[0])
        found = Query((said.form(Subquery(one), Subquery(two)),)) if alike else None
    places = ("second", "first") if said.turned else ("first", "second")
    told = f"It is the {places[0]} number {said.told} the {places[1]}."
    return None if found is None else (found, Assumption("default", told))
