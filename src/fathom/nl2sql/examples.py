"""Solved examples worth showing for a question: near in words, asked of any database, and built alike.

The examples are those of the context and of its knowledge pack. How near two questions are is judged by
their words once names and values are masked (specs/methods.md, section 5.1). A solved example comes without
its schema; its own query tells which names and values its question holds.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from threading import Lock

from fathom.methods import Context
from fathom.nl2sql.masking import masked
from fathom.nl2sql.skeletons import likeness, pieces
from fathom.nl2sql.values import mentions
from fathom.nl2sql.word_index import WordIndex
from fathom.records import Question, SolvedExample
from fathom.retrieval.words import words

POOL_EACH = 100
"""Nearest examples looked at for each one wanted."""
ALIKE = 0.85
"""The likeness of skeletons from which two queries count as built alike."""
_lock = Lock()


class ExampleStore:
    """Solved examples under the words of their questions, as asked and masked; each indexed when needed."""

    def __init__(self, examples: Sequence[SolvedExample]) -> None:
        self.examples = tuple(dict.fromkeys(e for e in examples if e.sql.strip()))

    @cached_property
    def _plain(self) -> WordIndex:
        return WordIndex(words(e.question) for e in self.examples)

    @cached_property
    def _masked(self) -> WordIndex:
        known = ((e.question, pieces(e.sql)) for e in self.examples)
        return WordIndex(masked(question, p.names, p.texts) for question, p in known)

    def nearest(
        self, question: str, limit: int, *, mask: tuple[str, ...] | None = None
    ) -> list[SolvedExample]:
        """The examples nearest to a question, nearest first: by its words, or by its masked words if given.

        An example that asks the very same is left out: it would give the answer away.
        """
        with _lock:
            index = self._plain if mask is None else self._masked
        own = words(question)
        found: list[SolvedExample] = []
        for number in index.nearest(own if mask is None else mask):
            if len(found) == limit:
                break
            if words(self.examples[number].question) != own:
                found.append(self.examples[number])
        return found


def example_store(context: Context) -> ExampleStore:
    """The store of the context's examples and its knowledge pack's, kept with the database."""
    key = ("example store", id(context.examples), id(context.knowledge))
    kept = context.database.kept
    with _lock:
        if key not in kept:
            made = ExampleStore((*context.knowledge.examples, *context.examples))
            # Held as well, so that no later object can be taken for them by its id.
            kept[key] = (made, context.examples, context.knowledge)
        found: ExampleStore = kept[key][0]
        return found


async def mask_of(context: Context, question: Question, *, values: bool = True) -> tuple[str, ...]:
    """A question's masked words; `values` looks its words up among the cells of the database as well."""
    schema = context.database.schema
    names = [n for t in schema.tables for n in (t.name, *(c.name for c in t.columns))]
    named = await mentions(context, question.text, least=0.9) if values else []
    return masked(question.text, names, [m.text for m in named])


async def ranked_examples(
    context: Context, question: Question, k: int, *, by_mask: bool = True, values: bool = True
) -> list[SolvedExample]:
    """The 100 k nearest examples, nearest first: take the first k, or the first k that fit.

    `by_mask` compares questions once masked; `values` masks the asked one's cell values too.
    """
    store = example_store(context)
    if not store.examples or k < 1:
        return []
    mask = await mask_of(context, question, values=values) if by_mask else None
    return store.nearest(question.text, k * POOL_EACH, mask=mask)


def built_alike_first(examples: Sequence[SolvedExample], sql: str | None) -> list[SolvedExample]:
    """Examples with those first whose queries are built like this one; otherwise in their own order."""
    return sorted(examples, key=lambda e: sql is None or likeness(e.sql, sql) < ALIKE)


def first_examples(context: Context, question: Question, k: int) -> list[SolvedExample]:
    """The first k examples, the pack's before others: the same for every question but their own."""
    own = words(question.text)
    return list(islice((e for e in example_store(context).examples if words(e.question) != own), k))


AS_PAIRS = "Solved questions, each in a comment with its query under it:"
"""What a prompt says above them."""


def as_pairs(examples: Sequence[SolvedExample]) -> str:
    """Examples as questions with their SQL, apart by blank lines. Data, to be fenced."""
    return "\n\n".join(f"/* {e.question} */\n{e.sql.strip()}" for e in examples)
