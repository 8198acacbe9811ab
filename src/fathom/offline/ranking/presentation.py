"""Features of presentation: a query shows rows by their names, in the groups that people ask for."""

import numpy as np

from fathom.offline.linking import ColumnKey, Floats, Linking
from fathom.offline.linking.row_names import asked_table, grouping_columns
from fathom.offline.queries.query import ColumnRef, Query
from fathom.offline.queries.rows import RowNames, fixed_columns, names_key
from fathom.records import Schema

PRESENTED = (
    *("keys_unasked", "names_shown", "names_missing", "names_partly", "fixed_shown", "grouped"),
    *("ungrouped", "measure_alone"),
)
PREFERENCE = np.array([-0.8, 0.0, -1.5, -1.6, -1.0, 0.0, -1.8, -1.0], np.float32)
"""The weight of each of `PRESENTED` in a candidate's score: how people ask, beyond what Spider's golds
show."""


class PresentationJudge:
    """Judges what the queries of one question show."""

    def __init__(self, linking: Linking, schema: Schema) -> None:
        self._linking, self._rows = linking, RowNames(schema)
        self._called = frozenset(linking.called)
        self._groups = grouping_columns(linking)
        self._asks_rows = asked_table(linking.tokens, linking.table_alignment, linking.alignment) is not None

    def features(self, query: Query) -> tuple[float, ...]:
        """The features of a query in the order of `PRESENTED`."""
        shown = [e for e in query.select if isinstance(e, ColumnRef)]
        keys = sum(self._rows.is_key(e) and not names_key(self._linking, e) for e in shown)
        named = len(self._called & {ColumnKey.of(e) for e in shown})
        fixed = fixed_columns(query)
        groups = self._groups & {
            ColumnKey.of(e)
            for part in (query, query.source)
            for e in (part.group if part is not None else ())
            if isinstance(e, ColumnRef)
        }
        ranked = [o.key for o in query.order] if query.limit is not None else []
        return (
            float(keys),
            float(bool(self._called) and named == len(self._called)),
            float(bool(self._called) and not named),
            float(0 < named < len(self._called)),
            float(any(e in fixed for e in shown)),
            float(bool(groups)),
            float(bool(self._groups) and not groups),
            float(self._asks_rows and not query.group and bool(shown) and set(shown) <= set(ranked)),
        )


def preference(features: Floats) -> Floats:
    """Compute the presentation's part of each candidate's score (candidates x all features of the ranker)."""
    return np.asarray(features[:, -len(PRESENTED) :] @ PREFERENCE, np.float32)
