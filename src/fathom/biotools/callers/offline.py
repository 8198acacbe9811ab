"""The offline caller: from a question to a call without a model, with a confidence or a refusal.

The question's words are compared with phrasings and solved examples; what it names must fit what an
endpoint takes. A new solved example counts from the moment it is given.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from math import log, sqrt
from typing import TYPE_CHECKING

from fathom.biotools.callers.argument_filler import ArgumentFiller
from fathom.biotools.callers.caller import CallProposal, MadeCall
from fathom.biotools.callers.endpoint_fit import (
    FittingEndpoint,
    asking_back,
    assumed,
    checked,
    confidence,
    fit,
    kinship,
    most_fit,
)
from fathom.biotools.callers.entities import Entity, find_entities
from fathom.biotools.callers.lessons import (
    STOPWORDS,
    CallLesson,
    from_catalogue,
    packaged,
    plain_words,
)
from fathom.biotools.callers.markers import marked
from fathom.biotools.callers.plans import A_BRIDGE, CallPlan, alike, plan, relative
from fathom.biotools.callers.solved_lessons import from_solved
from fathom.biotools.catalogue import endpoints
from fathom.errors import CallRefused
from fathom.records import SolvedCall

if TYPE_CHECKING:
    from fathom.llm import Model

SURE = 0.5
"""Confidence below which a call is declined rather than made."""

FURTHER, BETTER = 0.1, 0.4
"""By how much a plan's score must exceed that of a clear single call: one that is its first step, or another."""

_SOLVED = 0.08
_OF_CATALOGUE, _OF_ENDPOINT, _OF_ACTION = 1.0, 0.6, 0.4
"""The weights of the catalogue's words, of those of all lessons of an endpoint, and of those of its kind of
action.

The catalogue is as wordy about every endpoint, lessons aren't: the nearest of them counts by its square,
since only what is nearly the same says more. Chosen with each packaged phrasing left out in turn.
"""

CONSIDERED = 12


def offline(_: "Model | None", solved: Sequence[SolvedCall]) -> "OfflineCaller":
    """The caller registered as `offline`: it asks no model, also where there is one."""
    return OfflineCaller(solved)


class OfflineCaller:
    """Turns questions into calls. `solved` examples teach it at once; `learn` adds more.

    It starts from the `phrasings` that come with the package, unless others are given; of an endpoint that
    has neither it knows what the catalogue says.
    """

    name = "offline"

    def __init__(
        self,
        solved: Iterable[SolvedCall] = (),
        *,
        sure: float = SURE,
        phrasings: Iterable[CallLesson] | None = None,
    ) -> None:
        self.sure = sure
        self._taught = [*(packaged() if phrasings is None else phrasings), *map(from_solved, solved)]
        self._weigh()

    def learn(self, examples: Iterable[SolvedCall]) -> None:
        """Add solved examples; they count from the next question on."""
        self._taught += map(from_solved, examples)
        self._weigh()

    def _weigh(self) -> None:
        """Rare words tell more: how many endpoints use each, over all lessons."""
        known = {lesson.endpoint for lesson in self._taught}
        catalogue = {name: from_catalogue(name) for name in endpoints()}
        self._lessons = [*self._taught, *(one for name, one in catalogue.items() if name not in known)]
        spread: dict[str, set[str]] = {}
        for lesson in self._lessons:
            for word in _features(lesson.words):
                spread.setdefault(word, set()).add(lesson.endpoint)
        self._weight = {w: log(1 + len(endpoints()) / len(used)) for w, used in spread.items()}
        self._vectors = [self._vector(lesson.words) for lesson in self._lessons]
        self._of_catalogue = {name: self._vector(lesson.words) for name, lesson in catalogue.items()}
        told = {name: [Counter(vector)] for name, vector in self._of_catalogue.items()}
        for lesson, vector in zip(self._lessons, self._vectors, strict=True):
            if not lesson.solved:
                told[lesson.endpoint].append(Counter(vector))
        self._of_endpoint = {name: _mean(vectors) for name, vectors in told.items()}
        acting: dict[str, list[Counter[str]]] = {}
        for name, vector in self._of_endpoint.items():
            acting.setdefault(_action(name), []).append(Counter(vector))
        self._of_action = {action: _mean(vectors) for action, vectors in acting.items()}

    def _vector(self, words: Sequence[str]) -> dict[str, float]:
        unknown = log(1 + len(endpoints()))
        counts = Counter(_features(words))
        raw = {w: (1 + log(n)) * self._weight.get(w, unknown * _UNSEEN) for w, n in counts.items()}
        length = sqrt(sum(v * v for v in raw.values())) or 1.0
        return {w: v / length for w, v in raw.items()}

    async def propose(self, question: str, *, earlier: Sequence[MadeCall] = ()) -> CallProposal:
        """The next call for a question: the one it asks for, or the next of a plan; done after the last.

        A plan of several calls is made where no single call is clear, where the words fit its last call much
        better than any single one, or where a gene is named by a relative.
        """
        if earlier and earlier[-1].problem:
            return CallProposal(question, None, 0.0, earlier[-1].problem)
        entities = find_entities(question)
        worded = self._worded(question, entities, ())
        ranked = self._ranked(question, entities, (), worded)
        single = self._read(question, ranked, strange=self._strange(question, entities))
        planned = self._plan(question, entities, worded, ranked, single)
        if planned is not None and planned.confidence >= self.sure:
            return _of_plan(planned, earlier)
        return CallProposal(question, None, 1.0) if earlier else single

    def _plan(
        self,
        question: str,
        entities: tuple[Entity, ...],
        worded: Sequence[FittingEndpoint],
        ranked: Sequence[tuple[float, ArgumentFiller]],
        single: CallProposal,
    ) -> CallPlan | None:
        """The plan that is to be preferred to a single call, if any."""
        related = relative(question, entities)
        if related:
            outside = tuple(e for e in entities if not related.start <= e.start < related.end)
            named = tuple(sorted((*outside, related), key=lambda e: e.start))
            worded = self._worded(question, named, ())
            return plan(question, entities, worded, (), strange=self._strange(question, named))
        beaten = (ranked[0][0] + FURTHER) if single.call else 0.0
        if not worded or worded[0].score + most_fit(entities) - A_BRIDGE < beaten:
            return None
        strange = self._strange(question, entities)
        planned = plan(question, entities, worded, single.alternatives, strange=strange)
        if planned is None or single.call is None:
            return planned
        if planned.bridges[0].endpoint != single.endpoint:
            beaten += BETTER - FURTHER
        return None if planned.score < beaten or alike(planned.last.endpoint, single.endpoint) else planned

    def read(self, question: str, *, found: Sequence[str] = ()) -> CallProposal:
        """The one call that a question asks for. `found` are identifiers that an earlier call gave."""
        entities = find_entities(question)
        worded = self._worded(question, entities, found)
        ranked = self._ranked(question, entities, found, worded)
        return self._read(question, ranked, strange=self._strange(question, entities))

    def _strange(self, question: str, entities: tuple[Entity, ...]) -> bool:
        """True if the question has words, beside what it names, that no lesson has, or says nothing at all."""
        words = set(plain_words(question, entities)) - STOPWORDS
        return not words <= self._weight.keys() or not (words or entities)

    def _read(
        self, question: str, ranked: Sequence[tuple[float, ArgumentFiller]], *, strange: bool
    ) -> CallProposal:
        if not ranked:
            return CallProposal(question, None, 0.0, "No word of the question points to an endpoint.")
        scores = tuple((f.endpoint.name, round(score, 3)) for score, f in ranked[:5])
        best, filling = ranked[0]
        lead = best - (ranked[1][0] if len(ranked) > 1 else 0.0)
        sure = confidence(best, lead, strange=strange)
        try:
            call = checked(filling)
        except CallRefused as error:
            if filling.used or not strange:
                return CallProposal(question, None, sure, asking_back(filling.endpoint.name, error), scores)
            sure = 0.0
        if sure < self.sure:
            near = ", ".join(n for n, _ in scores[:3])
            return CallProposal(
                question, None, sure, f"It isn't clear which endpoint is meant: {near}.", scores
            )
        return CallProposal(question, call, sure, "", scores, assumed(call, question))

    def likely(self, question: str, *, most: int) -> tuple[str, ...]:
        """Endpoints that may have a part in the answer, best first: by the whole fit and by the words alone.

        The words alone find those that what is named doesn't fit yet, since another call gets it first.
        """
        entities = find_entities(question)
        worded = self._worded(question, entities, ())
        by_fit = [filling.endpoint.name for _, filling in self._ranked(question, entities, (), worded)]
        by_words = [w.endpoint for w in worded]
        taken = dict.fromkeys(chain.from_iterable(zip(by_fit, by_words, strict=False)))
        return tuple(taken | dict.fromkeys(by_words))[:most]

    def _worded(
        self, question: str, entities: tuple[Entity, ...], found: Sequence[str]
    ) -> list[FittingEndpoint]:
        """Endpoints by how well the words of one lesson of theirs fit the question, best first."""
        asked = self._vector(plain_words(question, entities))
        if not entities and not asked.keys() & self._weight.keys():
            return []
        best: dict[str, tuple[float, CallLesson]] = {}
        for lesson, vector in zip(self._lessons, self._vectors, strict=True):
            if lesson.after_others and not found:
                continue
            near = _dot(asked, vector)
            near += _SOLVED * near * lesson.solved - (0.3 if found and not lesson.after_others else 0.0)
            if near > best.get(lesson.endpoint, (-1.0, lesson))[0]:
                best[lesson.endpoint] = near, lesson
        worded = []
        for name, (near, lesson) in best.items():
            wide = _OF_ENDPOINT * _dot(asked, self._of_endpoint[name])
            wide += _OF_CATALOGUE * _dot(asked, self._of_catalogue[name])
            wide += _OF_ACTION * _dot(asked, self._of_action[_action(name)])
            worded.append(
                FittingEndpoint(name, near, max(near, 0.0) ** 2 + wide + marked(name, question), lesson)
            )
        return sorted(worded, key=lambda w: -w.score)

    def _ranked(
        self,
        question: str,
        entities: tuple[Entity, ...],
        found: Sequence[str],
        worded: Sequence[FittingEndpoint],
    ) -> list[tuple[float, ArgumentFiller]]:
        """Endpoints by how well the words of one lesson and what the question names fit them."""
        likely = sorted(worded, key=lambda w: -w.score - kinship(w.endpoint, entities))
        ranked = []
        for one in likely[: CONSIDERED * 2]:
            filling = ArgumentFiller(
                endpoints()[one.endpoint], question, entities, found, one.lesson, near=one.near
            )
            ranked.append((one.score + fit(filling, after_others=bool(found)), filling))
        return sorted(ranked, key=lambda r: -r[0])[:CONSIDERED]


def _of_plan(planned: CallPlan, earlier: Sequence[MadeCall]) -> CallProposal:
    """The plan's next call, as sure as the whole plan at its first call; later ones follow from it."""
    question = planned.question
    try:
        call = planned.next_call(earlier)
    except LookupError as error:
        return CallProposal(question, None, 0.0, str(error))
    except CallRefused as error:
        return CallProposal(question, None, 0.0, asking_back(planned.last.endpoint, error))
    if call is None:
        return CallProposal(question, None, 1.0)
    sure = 1.0 if earlier else planned.confidence
    more = len(earlier) < len(planned.bridges)
    return CallProposal(question, call, sure, assumed=assumed(call, question), more=more)


_UNSEEN = 0.15
"""The weight of a word that no lesson has, beside that of the rarest word in one."""


def _action(name: str) -> str:
    """Name the action of an endpoint: search, stream, fetch one, and so on."""
    first, last = name.split("_", maxsplit=1)[0], name.rsplit("_", maxsplit=1)[-1]
    if first in {"search", "stream"}:
        return first
    return last if last in {"light", "symbol", "region", "id"} else name


def _mean(vectors: Sequence[Counter[str]]) -> dict[str, float]:
    """The mean of vectors, of length one."""
    total: Counter[str] = Counter()
    for vector in vectors:
        total.update(vector)
    length = sqrt(sum(v * v for v in total.values())) or 1.0
    return {word: v / length for word, v in total.items()}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def _features(words: Sequence[str]) -> list[str]:
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]
