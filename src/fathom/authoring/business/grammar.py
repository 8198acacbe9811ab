"""Business questions without a model: patterns bound to what a database holds, none twice."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from fathom.authoring.business.result_checks import decides
from fathom.authoring.business.roles import BusinessMeasure, Grouping, Subject, lexicon, subjects
from fathom.authoring.business.shapes import SHAPES, Binding, accepted, query
from fathom.databases.database import Database
from fathom.text.inflection import with_article

CATEGORIES = ("descriptive", "diagnostic", "predictive", "prescriptive")
COMPLEXITIES = ("basic", "intermediate", "advanced")
EACH = 3
"""Questions of each complexity in a category, as published."""
_TRIED = 60
_HANDICAP = 4
_RAISE = {"more": "increase", "less": "reduce"}


@cache
def patterns() -> Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]:
    """The patterns by category and complexity, from `patterns.yaml`."""
    found: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("patterns.yaml").read_text("utf-8"))
    return found


@cache
def _capitals() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(lexicon()['capitals'])})\b")


@dataclass(frozen=True, slots=True)
class WordedQuestion:
    """A question that was made, with its query and what it is made of.

    `gold` are the queries whose rows answer it, of a descriptive one; others are answered in words.
    """

    text: str
    category: str
    complexity: str
    pattern: str
    measure: str
    sql: str
    gold: tuple[str, ...]


class Grammar:
    """Makes the questions of one database, the same for one seed; each pattern is used once at the most."""

    def __init__(self, database: Database, seed: int) -> None:
        self._database = database
        self._roll = random.Random(f"{seed} {database.name}")
        self.subjects = subjects(database)
        self._used: Counter[str] = Counter()
        self._made_before: set[str] = set()

    def questions(self) -> Iterator[WordedQuestion]:
        """Up to 3 of each complexity in each category; fewer where the database hasn't more to ask for."""
        for category in CATEGORIES:
            for complexity in COMPLEXITIES:
                choices = list(enumerate(patterns()[category][complexity]))
                self._roll.shuffle(choices)
                made = 0
                for place, pattern in choices:
                    if made == EACH:
                        break
                    name = f"{category}-{complexity}-{place + 1}-{pattern['shape']}"
                    if found := self._made(pattern, category, complexity, name):
                        made += 1
                        yield found

    def _made(
        self, pattern: Mapping[str, Any], category: str, complexity: str, name: str
    ) -> WordedQuestion | None:
        bindings = list(self._bindings(pattern))
        self._roll.shuffle(bindings)
        # Measured things come before how many rows there are; then subjects that were asked about
        # least, so that one table doesn't fill the set.
        bindings.sort(key=lambda b: (_counts_rows(b) + sum(self._used[w] for w in _told(b)), _counts_rows(b)))
        for bound in bindings[:_TRIED]:
            text = self._worded(pattern, bound)
            shape = towards_goal(pattern["shape"], category, text, bound)
            sql = query(shape, self._database, bound)
            if {text.casefold(), sql} & self._made_before or not decides(shape, bound, self._database):
                continue
            self._made_before |= {text.casefold(), sql}
            self._used.update(_told(bound))
            gold = accepted(sql, shape, self._database.dialect) if category == CATEGORIES[0] else ()
            return WordedQuestion(text, category, complexity, name, bound.quantity.value, sql, tuple(gold))
        return None

    def _bindings(self, pattern: Mapping[str, Any]) -> Iterator[Binding]:
        shape, needs = SHAPES[pattern["shape"]], set(pattern.get("needs", ()))
        for subject in self.subjects:
            if "period" in shape.by and subject.calendar is None:
                continue
            groups = [g for g in subject.groupings if not g.named]
            entities = [g for g in subject.groupings if g.named or (g.place.hops and g.groups >= 8)]
            for quantity in (q for q in subject.quantities if _fits(q, needs)):
                for bound in _grouped(subject, quantity, shape.by, groups, entities):
                    if not shape.pairs:
                        yield bound
                        continue
                    for second in subject.quantities:
                        if second.column and second.column != quantity.column:
                            yield Binding(subject, quantity, second, bound.group, bound.other, bound.entity)

    def _worded(self, pattern: Mapping[str, Any], bound: Binding) -> str:
        subject, quantity = bound.subject, bound.quantity
        period = subject.calendar.period if subject.calendar else "period"
        slots = {
            "value": quantity.value, "measure": quantity.one, "thing": subject.thing,
            "things": subject.things, "a_thing": with_article(subject.thing), "period": period,
            "periods": f"{period}s", "periodly": f"{period}ly", "raise": _RAISE.get(quantity.goal, ""),
            "measure2": bound.second.one if bound.second else "",
        }  # fmt: skip
        for name, grouping in (("d", bound.group), ("d2", bound.other), ("e", bound.entity)):
            if grouping:
                one, many = grouping.one, grouping.many
                slots |= {name: one, f"{name}s": many, f"a_{name}": with_article(one)}
        people = subject.thing.split()[-1] in lexicon()["people"]
        if quantity.function == "COUNT" and people and "period" in SHAPES[pattern["shape"]].by:
            slots["value"] = f"number of new {subject.things}"  # they are counted when they come
        slots["a_value"] = with_article(slots["value"])
        text: str = self._roll.choice(pattern["say"]).format(**slots)
        # "the loan duration of loans" says loan twice.
        for owner in (subject.things, slots["a_thing"]):
            text = re.sub(
                rf"\b{re.escape(subject.thing)} (\w+(?: \w+)?) of {re.escape(owner)}\b",
                rf"\1 of {owner}",
                text,
            )
        text = _capitals().sub(lambda word: _in_capitals(word[0]), text)
        return text[:1].upper() + text[1:]


def _in_capitals(word: str) -> str:
    return f"{word[:-1].upper()}s" if word.endswith("ids") else word.upper()


def _fits(quantity: BusinessMeasure, needs: set[str]) -> bool:
    asked = {
        "column": bool(quantity.column),
        "mean": quantity.function == "AVG",
        "count": quantity.function == "COUNT",
        "total": quantity.function != "AVG",
        "goal": quantity.goal != "none",
    }
    return all(asked[need] for need in needs)


def _grouped(
    subject: Subject,
    quantity: BusinessMeasure,
    by: Sequence[str],
    groups: Sequence[Grouping],
    entities: Sequence[Grouping],
) -> Iterator[Binding]:
    for group in groups if "group" in by else [None]:
        for other in groups if "other" in by else [None]:
            if other is not None and other is group:
                continue
            for entity in entities if "entity" in by else [None]:
                yield Binding(subject, quantity, None, group, other, entity)


def _counts_rows(bound: Binding) -> int:
    """A handicap of counts against amounts, in questions asked of the same."""
    return _HANDICAP * (bound.quantity.function == "COUNT")


def towards_goal(shape: str, category: str, text: str, bound: Binding) -> str:
    """The shape, turned where less is wanted: one chooses the lowest, and attends to the highest first."""
    if category != "prescriptive" or bound.quantity.goal != "less":
        return shape
    if shape == "worst_groups":
        return "highest_groups"
    return "least_in_each" if shape == "best_in_each" and "chosen" in text else shape


def _told(bound: Binding) -> list[str]:
    """The subjects of a question, by which a set is varied; the measure weighs most, then the table."""
    groups = [f"g:{g.one}" for g in (bound.group, bound.other, bound.entity) if g]
    measure = f"m:{bound.quantity.value}"
    return [measure, measure, f"t:{bound.subject.table}", *groups]
