"""A report on a business question: the answer first, or what is missing for one, and what supports it.

The baseline system of BI-Bench merges the answer with those to two questions more. This one does so without a
model; its sentences are those that their own check supports, whoever worded the answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from fathom.analysis import Figures, Reader, Vocabulary, check, sentences
from fathom.analysis.business_answers import answer_business_question
from fathom.analysis.business_questions import BusinessQuestion, is_outcome, read_business_question
from fathom.analysis.findings import Finding, Kind, findings, kind_of, subject
from fathom.answering.forms import as_json
from fathom.answering.measure_words import learn_measures
from fathom.answering.pipeline import answer
from fathom.answering.preparation import Asking
from fathom.records import Answer, Question


@dataclass(frozen=True, slots=True)
class Report:
    """The findings that answer a question of a `kind`, or `missing`: why nothing does.

    `answer` is the method's own, and stands first where the question asks what is. `beside` are answers to
    questions on the same measure.
    """

    kind: Kind
    answer: Answer
    beside: tuple[Answer, ...]
    findings: tuple[Finding, ...]
    missing: str = ""

    @property
    def answered(self) -> tuple[Answer, ...]:
        """The answers that stand in the report: the method's own only to a question of what is."""
        asked = (self.answer, *self.beside) if self.kind == "descriptive" else self.beside
        return tuple(a for a in asked if a.result is not None)

    @property
    def text(self) -> str:
        """All of it in words, the answer first, each sentence once."""
        if self.missing:
            return f"I can't answer this. {self.missing}"
        first, last = [a.text for a in self.answered], [f.sentence for f in self.findings]
        told = (*first, *last) if self.kind == "descriptive" else (*last, *first)
        return " ".join(dict.fromkeys(told)) or self.answer.text

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values, each finding with its checks."""
        return {
            "kind": self.kind,
            "text": self.text,
            "missing": self.missing,
            "answer": as_json(self.answer),
            "beside": [as_json(a) for a in self.beside],
            "findings": [
                {"sentence": f.sentence, "checks": [c.as_json() for c in f.checks]} for f in self.findings
            ],
        }


async def report(question: Question, asking: Asking) -> Report:
    """Answer a question by what the data supports, and two questions beside it; or say what is missing."""
    vocabulary = Vocabulary(asking.database, asking.context.knowledge)
    figures, reader, kind = Figures(vocabulary), Reader(vocabulary), kind_of(question.text)
    own = await answer(question, asking)

    async def ask(text: str) -> Answer:
        return await answer(Question(text), asking)

    if kind == "descriptive":
        if contradicted := _contradicted(own, reader, figures):
            return Report(kind, own, (), (), contradicted)
        about = subject(question.text, figures)
        kept = tuple(findings(about, kind, figures, reader)) if about and own.result else ()
        return Report(kind, own, (), kept)
    group = read_business_question(question.text, vocabulary).group
    await learn_measures(question.text, vocabulary, ask, (group,) if group else ())
    read = read_business_question(question.text, vocabulary)
    found = answer_business_question(read, figures)
    if found.missing:
        return Report(kind, own, (), (), found.missing)
    beside = [await ask(text) for text in _beside(read, vocabulary)]
    return Report(kind, own, tuple(a for a in beside if a.result is not None), found.findings)


def _contradicted(own: Answer, reader: Reader, figures: Figures) -> str:
    """Why an answer's words don't hold, where a model worded them; empty where they do."""
    if own.result is None:
        return ""
    for sentence in sentences(own.text):
        for result in map(partial(check, figures=figures), reader.read(sentence).claims):
            if result.verdict == "contradicted":
                return f"The answer said “{sentence}” {result.reason}"
    return ""


def _beside(read: BusinessQuestion, vocabulary: Vocabulary) -> Iterator[str]:
    """Questions on the same measure: by the groups asked about, and of all."""
    if read.quantity is None or not is_outcome(read.quantity.measure, vocabulary):
        return
    name = vocabulary.phrase(read.quantity.measure)
    if read.group:
        yield f"What is the {name} by {vocabulary.field_name(read.group)}?"
    yield f"What is the {name}?"
