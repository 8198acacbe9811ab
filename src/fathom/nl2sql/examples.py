"""Solved examples worth showing for a question: near in words, asked of any database, and built alike.

The examples are those of the context and of its knowledge pack. How near two questions are is judged once
names and values are masked (Gao et al. 2023): by embeddings where there are any, else by words.
A solved example comes without its schema; its own query tells which names and values its question holds.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from threading import Lock

import numpy as np

from fathom.methods import Context
from fathom.nl2sql.cache import keep
from fathom.nl2sql.masking import masked
from fathom.nl2sql.nearness import embedded
from fathom.nl2sql.skeletons import likeness, pieces
from fathom.nl2sql.values import mentions
from fathom.nl2sql.word_index import WordIndex
from fathom.records import Question, SolvedExample, query_digest
from fathom.text.words import words

POOL_EACH = 100
"""Nearest examples looked at for each one wanted."""
ALIKE = 0.85
"""The likeness of skeletons from which two queries count as built alike."""
_lock = Lock()


class ExampleStore:
    """Solved examples under the words of their questions, as asked and masked; each read when needed."""

    def __init__(self, examples: Sequence[SolvedExample]) -> None:
        self.examples = tuple(dict.fromkeys(e for e in examples if e.sql.strip()))

    @cached_property
    def _plain(self) -> list[tuple[str, ...]]:
        return [tuple(words(e.question)) for e in self.examples]

    @cached_property
    def _masked(self) -> list[tuple[str, ...]]:
        known = ((e.question, pieces(e.sql)) for e in self.examples)
        return [masked(question, p.names, p.texts) for question, p in known]

    @cached_property
    def _plain_index(self) -> WordIndex:
        return WordIndex(self._plain)

    @cached_property
    def _masked_index(self) -> WordIndex:
        return WordIndex(self._masked)

    @cached_property
    def _plain_texts(self) -> list[str]:
        return [e.question for e in self.examples]

    @cached_property
    def _masked_texts(self) -> list[str]:
        return [" ".join(m) for m in self._masked]

    def texts(self, *, by_mask: bool) -> list[str]:
        """The questions as asked, or masked."""
        with _lock:
            return self._masked_texts if by_mask else self._plain_texts

    def nearest_in_words(self, asked: Sequence[str], *, by_mask: bool) -> list[int]:
        """The places of all examples, those nearest to some words, or masked words, first."""
        with _lock:
            index = self._masked_index if by_mask else self._plain_index
        return index.nearest(asked)

    @cached_property
    def _digests(self) -> list[str]:
        return [query_digest(e.sql) for e in self.examples]

    def others(
        self, question: str, order: Iterable[int], limit: int, withheld: frozenset[str] = frozenset()
    ) -> list[SolvedExample]:
        """The first examples in an order of places, up to `limit`, without those that ask the very same or
        have a query whose digest is withheld: they would give the answer away."""
        own = tuple(words(question))
        fair = (
            self.examples[i]
            for i in order
            if self._plain[i] != own and (not withheld or self._digests[i] not in withheld)
        )
        return list(islice(fair, limit))


def example_store(context: Context) -> ExampleStore:
    """The store of the context's examples and its knowledge pack's, kept with the database."""
    knowledge, examples = context.knowledge, context.examples
    return keep(
        context,
        "example store",
        (knowledge, examples),
        lambda: ExampleStore((*knowledge.examples, *examples)),
    )


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
    asked = await mask_of(context, question, values=values) if by_mask else tuple(words(question.text))
    pool = store.texts(by_mask=by_mask)
    known = await embedded(context, pool, kept_as=f"examples {by_mask=}")
    sought = await embedded(context, [" ".join(asked) if by_mask else question.text])
    if known is None or sought is None:
        order: Iterable[int] = store.nearest_in_words(asked, by_mask=by_mask)
    else:  # of vectors of length 1 the greatest cosine is the least Euclidean distance
        order = map(int, np.argsort(-(known @ sought[0]), kind="stable"))
    return store.others(question.text, order, k * POOL_EACH, context.withheld)


def built_alike_first(examples: Sequence[SolvedExample], sql: str | None) -> list[SolvedExample]:
    """Examples with those first whose queries are built like this one; otherwise in their own order."""
    return sorted(examples, key=lambda e: sql is None or likeness(e.sql, sql) < ALIKE)


def first_examples(context: Context, question: Question, k: int) -> list[SolvedExample]:
    """The first k examples, the pack's before others: the same for every question but their own."""
    store = example_store(context)
    return store.others(question.text, range(len(store.examples)), k, context.withheld)


AS_PAIRS = "Solved questions, each in a comment with its query under it:"
"""The heading above solved questions in a prompt."""


def as_pairs(examples: Sequence[SolvedExample]) -> str:
    """Examples as questions with their SQL, apart by blank lines. Data, to be fenced."""
    return "\n\n".join(f"/* {e.question} */\n{e.sql.strip()}" for e in examples)
