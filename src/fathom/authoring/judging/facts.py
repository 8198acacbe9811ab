"""Factual correctness: each sentence against the data, by its claims, else by what a weak expert answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, StringConstraints

from fathom.analysis import CheckedClaim, Figures, Reader, check
from fathom.answering import Asking, answer, cell_as_json, ground
from fathom.llm import Model
from fathom.llm.prompts import load
from fathom.nl2sql.replies import json_list, texts
from fathom.nl2sql.schema_parts import schema_parts
from fathom.nl2sql.schema_text import ShownSchema
from fathom.records import Answer, Question

Inference = Literal["true", "partially true", "false", "not judged"]
ROUNDS = 3
_ROWS_KEPT = 20
_Reason = Annotated[str, StringConstraints(max_length=2_000)]


class Inferred(BaseModel):
    """A model's reply: does a sentence follow from answers?"""

    inference: Literal["true", "partially true", "false"]
    reason: _Reason


@dataclass(frozen=True, slots=True)
class Expert:
    """Who answers the small questions (any method), who reads claims, and the model that asks, if any."""

    asking: Asking
    reader: Reader
    figures: Figures
    model: Model | None = None
    answered: dict[str, Answer] = field(default_factory=dict)
    """The expert's answers by question: several sentences of an answer lead to the same question."""

    async def answer(self, question: str) -> Answer:
        """The expert's answer to a small question."""
        if question not in self.answered:
            self.answered[question] = await answer(Question(question), self.asking)
        return self.answered[question]


@dataclass(frozen=True, slots=True)
class Round:
    """One round of questions on a sentence: the expert's answers, and what follows from them.

    `schema_parts` are the parts of the schema that questions were made of; 0 where no model made them.
    """

    answers: tuple[Answer, ...]
    inference: Inference
    reason: str
    schema_parts: int = 0

    def as_json(self) -> dict[str, Any]:
        """The round with each question, query and rows, for people."""
        return {
            "inference": self.inference,
            "reason": self.reason,
            "schema_parts": self.schema_parts,
            "answers": [_told(a) for a in self.answers],
        }


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence with its verdict and everything that led to it."""

    text: str
    inference: Inference
    claims: tuple[CheckedClaim, ...] = ()
    unread: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()

    @property
    def right(self) -> bool | None:
        """True if the sentence counts as right; partly right does. None where it isn't judged."""
        return None if self.inference == "not judged" else self.inference != "false"

    def as_json(self) -> dict[str, Any]:
        """The sentence as JSON values."""
        return {
            "sentence": self.text,
            "inference": self.inference,
            "claims": [c.as_json() for c in self.claims],
            "unread": list(self.unread),
            "rounds": [r.as_json() for r in self.rounds],
        }


async def judge_sentence(text: str, question: str, expert: Expert) -> JudgedSentence:
    """Recompute a sentence's claims; where that settles nothing, ask the weak expert.

    With a model it writes the questions, infers, and on "false" paraphrases for two more rounds, of which
    the majority counts. Without one the user's own question is put to the expert, whose numbers and names
    the sentence must hold.
    """
    statement = expert.reader.read(text)
    claims = tuple(check(readings, expert.figures) for readings in statement.claims)
    by_claims = _of_claims(claims, statement.unread)
    if by_claims != "not judged":
        return JudgedSentence(text, by_claims, claims, statement.unread)
    rounds = await _asked(text, expert) if expert.model else [await _held(text, question, expert)]
    return JudgedSentence(text, _majority(rounds), claims, statement.unread, tuple(rounds))


def _of_claims(claims: Sequence[CheckedClaim], unread: Sequence[str]) -> Inference:
    """A false claim among true ones leaves a sentence partly right; what can't be checked tells nothing."""
    verdicts = Counter(c.verdict for c in claims)
    if verdicts["contradicted"]:
        return "partially true" if verdicts["supported"] else "false"
    if not verdicts["supported"]:
        return "not judged"
    return "partially true" if unread or verdicts["can't be checked"] else "true"


def _majority(rounds: Sequence[Round]) -> Inference:
    wrong = sum(r.inference == "false" for r in rounds)
    if 2 * wrong > len(rounds):
        return "false"
    return next((r.inference for r in rounds if r.inference != "false"), "not judged")


async def _held(text: str, question: str, expert: Expert) -> Round:
    """Ask the expert a question and check the sentence against the answer."""
    found = await expert.answer(question)
    if found.result is None:
        return Round((found,), "not judged", "The expert has no answer to the question.")
    grounded = ground(text, found.result)
    if not grounded.traced:
        return Round(
            (found,), "not judged", "No rule can tell: the sentence shares no figure with the answer."
        )
    if grounded.untraced:
        missing = ", ".join(grounded.untraced)
        return Round((found,), "not judged", f"No rule can tell: the answer doesn't hold {missing}.")
    return Round((found,), "true", "The expert's answer holds each figure and name of the sentence.")


async def _asked(text: str, expert: Expert) -> list[Round]:
    assert expert.model is not None
    questions, parts = await _questions(text, expert)
    rounds: list[Round] = []
    while len(rounds) < ROUNDS:
        answers = [await expert.answer(q) for q in questions]
        rounds.append(replace(await _inferred(text, answers, expert.model), schema_parts=parts))
        if len(rounds) == 1 and rounds[0].inference != "false":
            break
        if len(rounds) < ROUNDS:
            again = load(__package__, "paraphrase").render(questions="\n".join(questions))
            questions = texts(json_list((await expert.model.ask(again)).text)) or questions
    return rounds


async def _questions(text: str, expert: Expert) -> tuple[list[str], int]:
    """Questions that cover a sentence, asked of each part of a long schema and merged; how many parts."""
    assert expert.model is not None
    found: dict[str, None] = {}
    context = expert.asking.context
    parts = schema_parts(ShownSchema(context.database.schema, knowledge=context.knowledge), text)
    for part in parts:
        prompt = load(__package__, "questions").render(sentence=text, schema=part.text)
        found |= dict.fromkeys(texts(json_list((await expert.model.ask(prompt)).text)))
    return list(found), len(parts)


async def _inferred(text: str, answers: Sequence[Answer], model: Model) -> Round:
    if not any(a.result for a in answers):
        return Round(tuple(answers), "not judged", "The expert answered none of the questions.")
    told = "\n".join(f"{a.question.text}\n{a.text}" for a in answers if a.result)
    found = await model.typed(load(__package__, "infer").render(sentence=text, answers=told), Inferred)
    return Round(tuple(answers), found.inference, found.reason.strip())


def _told(found: Answer) -> dict[str, Any]:
    rows = found.result.rows[:_ROWS_KEPT] if found.result else ()
    return {
        "question": found.question.text,
        "answer": found.text,
        "sql": found.sql,
        "rows": [[cell_as_json(c) for c in row] for row in rows],
        "row_count": len(found.result.rows) if found.result else 0,
    }
