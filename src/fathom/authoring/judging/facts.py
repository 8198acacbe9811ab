"""Factual correctness: each sentence against the data, by its claims, else by what a model infers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, StringConstraints

from fathom.analysis import (
    CheckedClaim,
    Figures,
    NumberClaim,
    Reader,
    SentenceContext,
    check,
    measure_of_figure,
    read_query,
)
from fathom.answering import Asking, answer, cell_as_json, learn_measures
from fathom.authoring.judging.unread import why_open
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
    reason: str = ""
    """Why it isn't judged, and what would help."""

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
            "reason": self.reason,
            "rounds": [r.as_json() for r in self.rounds],
        }


async def begin(question: str, expert: Expert) -> SentenceContext:
    """The context of an answer's first sentence: the quantity that the expert reads in the question."""
    found = await expert.answer(question)
    known = found.sql if found.result is not None else None
    return SentenceContext.of_question(read_query(known, expert.reader.vocabulary) if known else None)


async def judge_sentence(
    text: str, expert: Expert, context: SentenceContext
) -> tuple[JudgedSentence, SentenceContext]:
    """Recompute a sentence's claims, and give the context of the sentence after it.

    Without a model that is all: a sentence is true where every word of it is read and every claim supported,
    false where a claim is contradicted, and else not judged. With a model, questions are made of what isn't
    judged; the expert answers them, the model infers, and on "false" it paraphrases for two more rounds, of
    which the majority counts.
    """
    await learn_measures(" ".join((text, *context.subjects)), expert.reader.vocabulary, expert.answer)
    statement = expert.reader.within(context).read(text)
    claims = tuple(_unless_meant(check(readings, expert.figures), expert) for readings in statement.claims)
    following = context.after(statement.claims, expert.reader.vocabulary)
    inference = _of_claims(claims, statement.unread)
    if inference != "not judged":
        return JudgedSentence(text, inference, claims, statement.unread), following
    rounds = tuple(await _asked(text, expert)) if expert.model else ()
    reason = "" if rounds else why_open(statement, claims, expert.reader.vocabulary)
    return JudgedSentence(text, _majority(rounds), claims, statement.unread, rounds, reason), following


def _unless_meant(claim: CheckedClaim, expert: Expert) -> CheckedClaim:
    """Accuse nobody of a figure that another measure of the same rows has: that one may be meant."""
    if claim.verdict != "contradicted" or not isinstance(claim.claim, NumberClaim):
        return claim
    other = measure_of_figure(claim.claim, expert.figures)
    if other is None or (claim.claim.stated.money and not expert.reader.vocabulary.is_money(other)):
        return claim
    name = expert.reader.vocabulary.measure_name(other)
    return replace(claim, verdict="can't be checked", reason=f"{claim.reason} The figure is the {name}.")


def _of_claims(claims: Sequence[CheckedClaim], unread: Sequence[str]) -> Inference:
    """The verdict of a sentence by those of its claims. Nothing is true beside an unread word.

    A recommendation isn't true because its premises are.
    """
    if any(c.verdict == "contradicted" for c in claims):
        return "false"
    if unread or not claims or any(c.verdict != "supported" or c.premises for c in claims):
        return "not judged"
    return "true"


def _majority(rounds: Sequence[Round]) -> Inference:
    wrong = sum(r.inference == "false" for r in rounds)
    if 2 * wrong > len(rounds):
        return "false"
    return next((r.inference for r in rounds if r.inference != "false"), "not judged")


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
