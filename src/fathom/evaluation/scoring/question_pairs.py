"""Predictions paired with questions: by id, or by the file's own rule of positions, and never by luck."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import from_any_folder
from fathom.evaluation.scoring.judge import Task
from fathom.evaluation.scoring.predictions import Prediction, Rule, folded, predictions_rule, read_predictions
from fathom.text import without_passwords


@dataclass(slots=True)
class Lookup:
    """The predictions of one file, asked for in the order of the questions.

    What comes before its question is kept until it is asked for, so a file in the benchmark's order is
    read in constant memory. `problems` tells what belongs to no question.
    """

    file: Path
    rule: Rule
    problems: list[str] = field(default_factory=list)
    _stream: Iterator[Prediction] = field(init=False)
    _early: dict[str, Prediction] = field(default_factory=dict)
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _replies: int = 0

    def __post_init__(self) -> None:
        self._stream = map(self._counted, read_predictions(self.file))

    def _counted(self, prediction: Prediction) -> Prediction:
        self._replies += prediction.is_reply
        return prediction

    def find(self, question: BenchmarkQuestion, position: int) -> Prediction | None:
        """The prediction for a question; None where the file has none."""
        key = question.id if self.rule == "id" else str(position)
        if key in self._early and _is_of(self._early[key], question):
            return self._checked(self._early.pop(key), question)
        for prediction in self._stream:
            if prediction.key == key and _is_of(prediction, question):
                return self._checked(prediction, question)
            self._keep(prediction)
        same_text = self._texts.get(folded(question.text), ()) if self._texts else ()
        for name in same_text:
            if name in self._early and _about(self._early[name], question):
                return self._early.pop(name)
        return None

    def _keep(self, prediction: Prediction) -> None:
        if not prediction.key:
            self.problems.append(prediction.problem)
        elif prediction.key in self._early:
            self.problems.append(f"{prediction.key!r} is there more than once; the first one counts")
        else:
            self._early[prediction.key] = prediction
            if prediction.question:
                self._texts.setdefault(prediction.told, []).append(prediction.key)

    def _checked(self, prediction: Prediction, question: BenchmarkQuestion) -> Prediction:
        named = without_passwords(prediction.database_name)
        if not named or not question.database_name or named == question.database_name:
            return prediction
        text = f"the prediction is for database {named!r}, the question for {question.database_name!r}"
        return Prediction(prediction.key, (), named, problem=text)

    def finish(self) -> None:
        """Look through the rest of the file for what belongs to no question."""
        for prediction in self._stream:
            self._keep(prediction)
        if self._replies:
            self.problems.append(
                f"{self._replies} predictions are replies with Markdown fences (```), not queries: they are"
                " judged as they are, so they fail. Score the SQL inside the fences instead."
            )
        left = list(self._early)
        if left:
            shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            what = "id" if self.rule == "id" else "position"
            self.problems.append(f"{len(left)} predictions belong to no question (by {what}: {shown})")


def _is_of(prediction: Prediction, question: BenchmarkQuestion) -> bool:
    """True if a prediction of the right key is the question's: a file's name alone may mislead."""
    return not prediction.question or prediction.told == folded(question.text)


def _about(prediction: Prediction, question: BenchmarkQuestion) -> bool:
    """True if nothing says that a prediction is about another database: texts may repeat."""
    return prediction.database_name in ("", question.database_name)


def rule_for(benchmark: Benchmark, file: Path) -> Rule:
    """How the entries of a file name questions: BIRD's JSON objects by position, all others' by id."""
    return predictions_rule(file, "position" if benchmark.comparison == "bird" else "id")


@dataclass(frozen=True, slots=True)
class PairedQuestion:
    """One question with the candidates of each file; `tasks` judges all of them at once."""

    question: BenchmarkQuestion
    task: Task
    counts: tuple[int, ...]
    problems: tuple[str, ...]


def pair(benchmark: Benchmark, lookups: Sequence[Lookup]) -> Iterator[PairedQuestion]:
    """Every question asked, in order, with what the files say about it.

    Files hold predictions for all of a benchmark's questions: those for questions that aren't asked are
    read and passed over.
    """
    chosen, whole = benchmark.chosen, cache(from_any_folder)
    for position, question in enumerate(benchmark.read()):
        found = [lookup.find(question, position) for lookup in lookups]
        if chosen is not None and position not in chosen:
            continue
        candidates = [
            tuple(benchmark.as_run(sql, question) for sql in p.candidates) if p else () for p in found
        ]
        problems = tuple(
            ""
            if c
            else (p.problem or "the prediction is empty")
            if p
            else "the file has no prediction for it"
            for p, c in zip(found, candidates, strict=True)
        )
        yield PairedQuestion(
            question,
            Task(
                position=position,
                id=question.id,
                database=whole(question.database),
                gold=question.gold,
                predictions=tuple(chain.from_iterable(candidates)),
                question=question.text,
                tags=question.tags,
                dialect=benchmark.dialect or "sqlite",
                answerable=question.answerable,
            ),
            tuple(map(len, candidates)),
            problems,
        )
