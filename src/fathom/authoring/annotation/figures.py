"""How far people agree: by the results of their queries, and by the labels they gave.

Queries have no fixed categories, so that agreement by chance isn't defined for them and they get no kappa: a
share of pairs with its interval instead, and how many classes of equal queries the items have.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any

from fathom.authoring.annotation.bodies import ORDINAL, labels
from fathom.authoring.annotation.difficulty import ranked
from fathom.authoring.annotation.history import AnnotationHistory, Line
from fathom.authoring.annotation.records import DecisionKind, WorkKind
from fathom.evaluation.metrics.rates import Mean, Rate
from fathom.evaluation.metrics.reliability import pair_reliabilities, reliability, without_each

FEW = 30
"""Below so many items a figure says little, and says so."""
BARS = {
    "substantial (Landis and Koch)": 0.61,
    "tentative (Krippendorff)": 0.667,
    "reliable (Krippendorff)": 0.8,
}
"""Lines that kappa and alpha are often held against: lines to see by, not verdicts."""
Pair = tuple[str, str, str, bool, bool, bool]
"""An item, two annotators, and whether their results are equal, equal on the database alone, and in text."""


def figures(history: AnnotationHistory) -> dict[str, Any]:
    """All figures about a project, as JSON values: the same whenever the history is the same."""
    kind = WorkKind(history.project["kind"])
    told: dict[str, Any] = {
        "project": history.project["id"],
        "kind": kind.value,
        "items": len(history.items),
        "states": dict(sorted(Counter(i["state"] for i in history.items.values()).items())),
        "decisions": dict(sorted(Counter(d["kind"] for d in history.decisions.values()).items())),
        "responses": sum(len(r) for r in history.responses.values()),
        "annotators": _people(history),
        "bars": BARS,
    }
    if kind is WorkKind.SQL:
        told["results"] = _results(history)
    told["right"] = _right(history, kind)
    told["labels"] = _labels(history, kind)
    if history.exams:
        told["exams"] = [{k: v for k, v in one.items() if k != "type"} for one in history.exams]
    counted = sum(len(r) > 1 for r in history.responses.values())
    if counted < FEW:
        told["note"] = f"{counted} items have two responses or more: below {FEW}, figures say little"
    return told


def _people(history: AnnotationHistory) -> dict[str, Any]:
    """How much each annotator did, and the median of the seconds that an item took them."""
    done = Counter(name for given in history.responses.values() for name in given)
    found = {}
    for name in sorted(done, key=_by_number):
        spent = [s for item, s in history.seconds[name].items() if name in history.responses.get(item, {})]
        found[name] = {"responses": done[name], "median_seconds": median(spent) if any(spent) else None}
    return found


def _by_number(name: str) -> tuple[int, str]:
    return (int(name[1:]), "") if name[1:].isdecimal() else (0, name)


# Results


def _results(history: AnnotationHistory) -> dict[str, Any]:
    pairs = list(_pairs(history))
    difficulty = _difficulty(history)
    people = sorted({name for pair in pairs for name in pair[1:3]}, key=_by_number)
    found: dict[str, Any] = {
        "pairs": _rate(pairs),
        "equal_on_the_database": Rate.of(pair[4] for pair in pairs).as_json(),
        "equal_by_luck": sum(pair[4] and not pair[3] for pair in pairs),
        "same_text": Rate.of(pair[5] for pair in pairs).as_json(),
        "classes": dict(sorted(Counter(map(str, _classes(pairs))).items())),
        "by_database": _by(pairs, lambda pair: history.items[pair[0]]["database"]),
        "by_difficulty": _by(pairs, lambda pair: difficulty.get(pair[0], "not rated")),
        "by_annotator": {name: _rate([p for p in pairs if name in p[1:3]]) for name in people},
    }
    if len(people) > 2:
        found["without"] = {name: _rate([p for p in pairs if name not in p[1:3]]) for name in people}
    return found


def _pairs(history: AnnotationHistory) -> Iterable[Pair]:
    """Each two responses to one item that were held against each other."""
    for item, given in history.responses.items():
        held = _verdicts(history, item)
        for one, other in combinations(sorted(given, key=_by_number), 2):
            left, right = given[one], given[other]
            verdicts = held.get(frozenset((left["id"], right["id"])))
            if verdicts is None:
                continue
            texts = [" ".join(str(r["body"].get("sql") or "").split()).rstrip("; ") for r in (left, right)]
            same = bool(texts[0]) and texts[0] == texts[1]
            yield item, one, other, all(verdicts.values()), verdicts.get(0, False), same


def _verdicts(history: AnnotationHistory, item: str) -> dict[frozenset[int], dict[int, bool]]:
    """Equality of responses, by pair of responses and then by copy; the last comparison counts."""
    found: dict[frozenset[int], dict[int, bool]] = {}
    for line in history.comparisons.get(item, ()):
        if line["right"] is not None:
            found.setdefault(frozenset((line["left"], line["right"])), {})[line["copy"]] = line["equal"]
    return found


def _classes(pairs: Sequence[Pair]) -> Iterable[int]:
    """How many classes of equal results each item has."""
    equal: dict[str, list[tuple[str, str]]] = {}
    seen: dict[str, set[str]] = {}
    for item, one, other, same, *_ in pairs:
        seen.setdefault(item, set()).update((one, other))
        if same:
            equal.setdefault(item, []).append((one, other))
    for item, people in seen.items():
        groups = [{name} for name in people]
        for one, other in equal.get(item, ()):
            joined = [g for g in groups if one in g or other in g]
            groups = [g for g in groups if g not in joined] + [set().union(*joined)]
        yield len(groups)


def _rate(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The share of equal pairs, with Wilson's interval, and the interval by item beside it."""
    by_item: dict[str, list[bool]] = {}
    for pair in pairs:
        by_item.setdefault(pair[0], []).append(pair[3])
    mean = Mean.of([sum(equal) / len(equal) for equal in by_item.values()])
    interval = mean.interval()
    return {
        **Rate.of(pair[3] for pair in pairs).as_json(),
        "items": len(by_item),
        "interval_by_item": list(interval) if interval else None,
    }


def _by(pairs: Sequence[Pair], group: Callable[[Pair], str]) -> dict[str, Any]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(group(pair), []).append(pair)
    return {name: _rate(groups[name]) for name in sorted(groups)}


def _difficulty(history: AnnotationHistory) -> dict[str, str]:
    """Each item's difficulty by rank of its ratings, those that aren't decided yet too."""
    ratings = {}
    for item, given in history.responses.items():
        rated = [r["body"]["difficulty"] for r in given.values() if r["body"].get("difficulty")]
        if rated:
            ratings[item] = [sum(values) / len(values) for values in zip(*rated, strict=True)]
    return ranked(ratings)


# Against what was decided


def _right(history: AnnotationHistory, kind: WorkKind) -> dict[str, Any]:
    """How often each annotator's response is what was decided, over the items that people decided alike or
    an expert settled."""
    told: dict[str, list[bool]] = {}
    for item, decision in history.decisions.items():
        if not DecisionKind(decision["kind"]).is_final:
            continue
        for name, response in history.responses.get(item, {}).items():
            if kind is WorkKind.SQL:
                right = _equals_gold(history, item, decision, response)
            else:
                right = _says_the_same(kind, decision, response)
            if right is not None:
                told.setdefault(name, []).append(right)
    return {name: Rate.of(told[name]).as_json() for name in sorted(told, key=_by_number)}


def _equals_gold(history: AnnotationHistory, item: str, decision: Line, response: Line) -> bool | None:
    """Compare a response with the decision: True if its query is equal to it, None where no run tells."""
    chosen = decision["response"]
    if chosen is None:
        held = {
            line["copy"]: line["equal"]
            for line in history.comparisons.get(item, ())
            if line["right"] is None and line["left"] == response["id"]
        }
        return all(held.values()) if held else None
    if chosen == response["id"]:
        return True
    verdicts = _verdicts(history, item).get(frozenset((chosen, response["id"])))
    return None if verdicts is None else all(verdicts.values())


def _says_the_same(kind: WorkKind, decision: Line, response: Line) -> bool | None:
    said = labels(kind, response["body"], response["sides"])
    decided = {name: decision["body"].get(name) for name in said}
    # Where every response counts, what was decided is a mean or a count, and nobody is right or wrong.
    if decision["kind"] in (DecisionKind.MERGED, DecisionKind.DROPPED) or None in decided.values():
        return None
    return said == decided


# Labels


def _labels(history: AnnotationHistory, kind: WorkKind) -> dict[str, Any]:
    """The figures of each thing that is asked in categories."""
    said: dict[str, dict[str, dict[str, Hashable]]] = {}
    for item, given in history.responses.items():
        for name, response in given.items():
            for asked, label in labels(kind, response["body"], response["sides"]).items():
                said.setdefault(asked, {}).setdefault(name, {})[item] = label
    return {asked: _of_label(asked, _in_order(said[asked])) for asked in said}


def _in_order(annotations: Mapping[str, dict[str, Hashable]]) -> dict[str, dict[str, Hashable]]:
    return {name: annotations[name] for name in sorted(annotations, key=_by_number)}


def _of_label(asked: str, annotations: Mapping[str, Mapping[str, Hashable]]) -> dict[str, Any]:
    ordinal = asked in ORDINAL
    return {
        **reliability(annotations, ordinal=ordinal).as_json(),
        "pairs": [one.as_json() for one in pair_reliabilities(annotations, ordinal=ordinal)],
        "without": without_each(annotations, ordinal=ordinal),
    }
