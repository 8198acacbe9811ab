"""A report on a business question: the answer, two beside it, and what the data supports of its subject.

The baseline system of BI-Bench asks two questions more and merges three paragraphs. This one does so without
a model, and adds drivers, trend and forecast, each sentence only where its own check supports it.
"""

from dataclasses import dataclass
from typing import Any

from fathom.analysis import Figures, Reader, Vocabulary
from fathom.analysis.findings import Finding, Kind, findings, kind_of, subject
from fathom.answering.forms import as_json
from fathom.answering.pipeline import Asking, answer
from fathom.records import Answer, Question

BESIDE = 2
"""Questions beside the one asked, as in BI-Bench."""


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to a question, those beside it, and the findings; `kind` is the question's."""

    kind: Kind
    answer: Answer
    beside: tuple[Answer, ...]
    findings: tuple[Finding, ...]

    @property
    def answered(self) -> tuple[Answer, ...]:
        """The answers that have rows; what will be stands in no row, so a forecast takes their place."""
        foretold = self.kind == "predictive" and bool(self.findings)
        asked = self.beside if foretold else (self.answer, *self.beside)
        return tuple(a for a in asked if a.result is not None)

    @property
    def text(self) -> str:
        """All of it in words, merged: each sentence once."""
        said = (*(a.text for a in self.answered), *(f.sentence for f in self.findings))
        told = list(dict.fromkeys(said))
        return " ".join(told) if told else self.answer.text

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values, each finding with its checks."""
        return {
            "kind": self.kind,
            "text": self.text,
            "answer": as_json(self.answer),
            "beside": [as_json(a) for a in self.beside],
            "findings": [
                {"sentence": f.sentence, "checks": [c.as_json() for c in f.checks]} for f in self.findings
            ],
        }


async def report(question: Question, asking: Asking) -> Report:
    """Answer a question and two beside it, and say what the data supports of its subject."""
    vocabulary = Vocabulary(asking.database, asking.context.knowledge)
    figures, reader, kind = Figures(vocabulary), Reader(vocabulary), kind_of(question.text)
    own = await answer(question, asking)
    about = subject(question.text, figures)
    if about is None:
        return Report(kind, own, (), ())
    name = vocabulary.measure_name(about.measure)
    groups = vocabulary.groups_of(about.measure.table)
    asked = [f"What is the {name} by {vocabulary.field_name(g)}?" for g in groups[: BESIDE - 1]]
    asked.append(f"What is the {name}?")
    beside = [await answer(Question(text), asking) for text in asked]
    kept = tuple(a for a in beside if a.result is not None and a.sql != own.sql)
    return Report(kind, own, kept, tuple(findings(about, kind, figures, reader)))
