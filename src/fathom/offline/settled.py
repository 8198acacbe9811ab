"""A query that answers a question, and all that it rests on."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from fathom.offline.linking import Linking
from fathom.offline.queries.query import Query
from fathom.offline.solution import Solution
from fathom.records import Assumption, Result


@dataclass(frozen=True, slots=True)
class Settled:
    """The query that answers a question, also as SQL, with all that it rests on.

    `result` is None where it hasn't been run to its end; `sure` says that it may be answered, and `standing`
    how far it is heeded against other ways: what was learned of it, or what its rule counts for where it is
    settled `by_rule`. What is said of it is `confidence`, once all is settled (`fathom.offline.stated`).
    `missing` are the words that nothing accounts for; `source` says what made the query. `finish` makes of
    another candidate of the `solution` what was made of this one, None where that can't be; `others` are what
    other ways to read the question came to; `rules` are the names of those that proposed the query, filtered
    it, put it together, completed it, or found words that it leaves over.
    """

    query: Query
    sql: str
    result: Result | None
    source: str
    standing: float
    by_rule: bool
    sure: bool
    missing: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    linking: Linking
    solution: Solution
    finish: Callable[[Query], Query | None]
    others: tuple["Settled", ...] = ()
    rules: tuple[str, ...] = ()
    confidence: float = 0.0

    def doubted(self, most: float) -> "Settled":
        """The same as not sure, that stands for at most so much."""
        return replace(self, sure=False, standing=min(self.standing, most), by_rule=True)

    def beside(self, *others: "Settled | None") -> "Settled":
        """The same, with what other ways came to."""
        known = (o for o in others if o is not None and o is not self)
        return replace(self, others=(*self.others, *known))
