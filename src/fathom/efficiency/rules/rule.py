"""The record of a rule: an edit of one node of a parsed query that doesn't change the result."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlglot import exp

from fathom.efficiency.tree import Unclear
from fathom.records import Schema


@dataclass(frozen=True, slots=True)
class Rule:
    """`edit` changes a node of one of the `kinds` in place and says whether it did.

    It holds by SQL's meaning and the keys that the schema declares; `about` says what it does, for people.
    """

    name: str
    about: str
    kinds: tuple[type[exp.Expr], ...]
    edit: Callable[[Any, Schema], bool]

    def applied(self, tree: exp.Query, schema: Schema) -> Iterator[exp.Query]:
        """The query after each single edit, and after all of them where there are several."""
        places = [i for i in range(self._count(tree)) if self._edited(tree, [i], schema)]
        for place in places:
            if found := self._edited(tree, [place], schema):
                yield found
        if len(places) > 1 and (found := self._edited(tree, places, schema)):
            yield found

    def _count(self, tree: exp.Query) -> int:
        return sum(1 for _ in tree.find_all(*self.kinds))

    def _edited(self, tree: exp.Query, places: list[int], schema: Schema) -> exp.Query | None:
        holder = exp.Paren(this=tree.copy())  # so that the whole query can be exchanged too
        nodes = [next(islice(holder.find_all(*self.kinds), i, None)) for i in places]
        try:
            for node in nodes:
                if not self.edit(node, schema):
                    return None
        except Unclear:
            return None
        return holder.this if isinstance(holder.this, exp.Query) else None
