"""An answer in a model's words: nothing in them that the result doesn't hold, or none at all."""

import re
from dataclasses import dataclass

from sqlglot import tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.answering.grounding import ground
from fathom.errors import BudgetExceeded, CassetteError, ModelError
from fathom.llm import Model, Sampling
from fathom.llm.prompts import load
from fathom.nl2sql.prompt_cells import prompt_rows
from fathom.records import Question, Result, Step, Usage
from fathom.text.patterns import Pattern

SHOWN_ROWS = 50
LONGEST = 2_000
_SENTENCE = Pattern(r"(?<=[.!?])\s+(?=[A-Z“\"'\d])")


@dataclass(frozen=True, slots=True)
class Wording:
    """A model's words for a result, "" where none could be used; `note` says what was left out and why."""

    text: str
    note: str
    step: Step


async def word_answer(question: Question, result: Result, model: Model, said: str | None = None) -> Wording:
    """Ask a model to say a result in words, and keep the sentences whose numbers and names can be traced.

    `said` are the words of a method that answers by itself: nothing is asked then.
    What a model can't do, or refuses, is no failure of the answer: the words written from the result stay.
    Raises `BudgetExceeded` where the budget of a whole run is spent, and `CassetteError`.
    """
    used: list[Usage] = []
    note = ""
    if said is None:
        said, note = await _asked_for_words(question, result, model.metered(used.append))
    text, left_out = traced_words(said, question, result)
    if left_out:
        note = f"Left out of the model's words, for the result doesn't hold it: {', '.join(left_out)}."
    found = {"said": said, "left_out": list(left_out)}
    return Wording(text, note, Step("say it in words", "answering", found, sum(used, Usage())))


async def _asked_for_words(question: Question, result: Result, model: Model) -> tuple[str, str]:
    """A model's words, and why there are none."""
    prompt = load(__package__, "worded").render(question=question.text, sql=result.sql, rows=_shown(result))
    try:
        reply = await model.ask(prompt, sampling=Sampling(temperature=0.0, max_tokens=400))
    except ModelError as error:
        if error.lasting and isinstance(error, BudgetExceeded | CassetteError):
            raise
        return "", f"The model gave no words: {error}"
    return reply.text.strip(), ""


def traced_words(said: str, question: Question, result: Result) -> tuple[str, tuple[str, ...]]:
    """The sentences whose numbers and quoted names the result holds; what the others made up.

    What the question says may be said again where the query looked for it ("longer than 3000"): alone it
    proves nothing, for a question may suppose what isn't so. Words longer than 2,000 letters are no answer in
    a few sentences, and count as made up.
    """
    if len(said) > LONGEST:
        return "", ("an answer of undue length",)
    looked_for = {text for text in _literals(result.sql) if _stands_in(text, question.text)}
    kept, made_up = [], []
    for sentence in _SENTENCE.split(said):
        untraced = [u for u in ground(sentence, result).untraced if _plain(u) not in looked_for]
        made_up.extend(untraced)
        if not untraced and sentence.strip():
            kept.append(sentence.strip())
    return " ".join(kept), tuple(dict.fromkeys(made_up))


def _literals(sql: str) -> set[str]:
    """The texts and numbers that a query compares with, without the wildcards of LIKE."""
    try:
        found = [t for t in tokenize(sql) if t.token_type in {TokenType.NUMBER, TokenType.STRING}]
    except SqlglotError:
        return set()
    return {_plain(t.text.strip("%")) for t in found} - {""}


def _stands_in(item: str, asked: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(item)}(?!\w)", _plain(asked)) is not None


def _plain(text: str) -> str:
    """A text in small letters, its numbers without separators of thousands."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())


def _shown(result: Result) -> str:
    lines = prompt_rows(result.columns, result.rows[:SHOWN_ROWS])
    more = len(result.rows) - SHOWN_ROWS
    if more > 0 or result.truncated:
        lines.append(f"({max(more, 0)}{'+' if result.truncated else ''} more rows)")
    return "\n".join(lines) if result.rows else "No rows."
