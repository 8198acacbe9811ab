"""Features of a question's request, in numbers: the same for all its candidates."""

import numpy as np

from fathom.offline.linking import ROLES, Floats, Linking

_OPENINGS = ("how many", "how much", "who", "when", "where", "which", "what", "list", "show", "find", "give")
_WORDS = (
    ("each", "per", "every"),
    ("different", "distinct", "unique"),
    ("and", ","),
    ("or", "either"),
    ("both", "also", "as well"),
    ("all", "any"),
    ("than", "least", "most"),
    ("average", "mean"),
    ("order", "sorted", "sort", "ascending", "descending", "alphabetical", "alphabetically"),
    ("name", "names"),
    ("id", "ids"),
    ("number", "count", "many"),
    ("never", "without", "no", "not", "except"),
    ("percentage", "percent", "ratio", "proportion"),
    ("common", "popular", "frequent", "frequently"),
)
ASKED = (
    "length",
    *(f"opens {o}" for o in _OPENINGS),
    *(f"says {group[0]}" for group in _WORDS),
    *("count", "sum", "avg", "min", "max", "ascending", "descending", "first_rows", "numbers"),
    *("comparisons", "dates", "negations", "quotes", "values_sum", "tables_sum"),
    *(f"{role}_sum" for role in ROLES),
    *("unexplained", "all_tables", "all_columns"),
)


def asked_features(linking: Linking) -> Floats:
    """Features of the question as its linking sees it, in the order of `ASKED`."""
    words = [t.lower for t in linking.tokens if not t.evidence]
    text = f" {' '.join(words)} "
    functions = {q.aggregate for q in linking.quantities}
    directions = [s.direction for s in linking.superlatives]
    return np.array(
        [
            len(words),
            *(float(text.startswith(f" {o} ") or f" {o} " in text[:30]) for o in _OPENINGS),
            *(sum(text.count(f" {w} ") for w in group) for group in _WORDS),
            *(float(f in functions) for f in ("count", "sum", "avg", "min", "max")),
            directions.count("asc"),
            directions.count("desc"),
            max((s.count for s in linking.superlatives), default=0),
            len(linking.numbers),
            sum(n.comparison != "=" for n in linking.numbers),
            len(linking.dates),
            len(linking.negations),
            len(linking.quotes),
            sum(v.probability for v in linking.values),
            float(linking.table_scores.sum()),
            *(float(linking.column_scores[role].sum()) for role in ROLES),
            float((linking.explained < 0.5).sum()),
            len(linking.tables),
            len(linking.columns),
        ],
        np.float32,
    )
