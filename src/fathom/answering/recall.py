"""A question that was solved before, word for word: answered by the query that a person gave for it."""

import time
import unicodedata

from fathom.methods import Context
from fathom.records import Assumption, Draft, Question, SolvedExample, Step, Trace, Usage

VOUCHED = 0.95
"""How sure such an answer is: a person wrote the query, and audits of written ones find some wrong."""
_ENDS = " \t\n?!.…"


def recalled(question: Question, context: Context) -> Draft | None:
    """The query that a solved question holds for this one; None where none was asked in these words.

    Case, spaces and signs at the end don't matter; evidence has to be the same. Of several, the one given
    last. Examples in another dialect than the database's are left to the method.
    """
    started = time.perf_counter()
    known = context.knowledge
    foreign = bool(known.dialect) and known.dialect != context.database.dialect
    own = (e for e in known.examples if e.source == "taught" or not foreign)
    wanted = _folded(question.text), _folded(question.evidence)
    same = [e for e in (*own, *context.examples) if (_folded(e.question), _folded(e.evidence)) == wanted]
    if not same:
        return None
    usage = Usage(own_seconds=time.perf_counter() - started)
    return _draft(question, same[-1], usage)


def _draft(question: Question, example: SolvedExample, usage: Usage) -> Draft:
    told = Assumption("example", "Answered as this question was solved before.", example.source)
    step = Step("recall what was solved", "generation", {"sql": example.sql}, usage)
    return Draft(question, sql=example.sql, assumptions=(told,), confidence=VOUCHED, trace=Trace((step,)))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_ENDS)
