"""The families that categories belong to: each gets a table and a radar of its own in reports."""

from collections.abc import Iterable, Mapping

SQL_CATEGORIES = (
    "Select",
    "Distinct",
    "Join",
    "Multi-Filter",
    "Threshold",
    "Calculate",
    "Order-By",
    "Similarity Search",
)
"""BiomedSQL's eight categories of queries (Koretsky et al. 2025)."""

BIOLOGY_CATEGORIES = (
    "Approval Status",
    "Trial Phase",
    "GWAS Significance",
    "SMR Significance",
    "Functional Significance",
    "Effect",
    "Genetic Target",
    "Allele Frequency",
    "Metadata",
)
"""Its nine of biology."""

REASONING = ("implicit convention", "missing context", "multi-hop")
"""Its three of reasoning."""

BUSINESS_KINDS = ("descriptive", "diagnostic", "predictive", "prescriptive")
"""BI-Bench's four kinds of business questions."""

OTHER_FAMILY = "category"
_FAMILIES = {
    "SQL category": SQL_CATEGORIES,
    "biology category": BIOLOGY_CATEGORIES,
    "reasoning category": REASONING,
    "kind of question": BUSINESS_KINDS,
}
_FOLDED = {
    " ".join(name.casefold().replace("-", " ").split()): (family, name)
    for family, names in _FAMILIES.items()
    for name in names
}
LEVELS = ("easy", "simple", "basic", "medium", "moderate", "intermediate", "hard", "challenging", "advanced",
          "extra")  # fmt: skip
"""Names of difficulty, from the easiest on; benchmarks use some of them each."""


def families(tags: Iterable[str]) -> dict[str, list[str]]:
    """Tags by the family that they are of; those of none are under `category`.

    Only where a family's tags are several, for "Select" alone may be anybody's.
    """
    found: dict[str, list[str]] = {}
    for tag in tags:
        family, _ = _FOLDED.get(_plain(tag), (OTHER_FAMILY, tag))
        found.setdefault(family, []).append(tag)
    few = [f for f, names in found.items() if f != OTHER_FAMILY and len(names) < 2]
    for family in few:
        found.setdefault(OTHER_FAMILY, []).extend(found.pop(family))
    order = {name: at for names in _FAMILIES.values() for at, name in enumerate(names)}
    return {
        family: sorted(names)
        if family == OTHER_FAMILY
        else sorted(names, key=lambda n: order[_FOLDED[_plain(n)][1]])
        for family, names in found.items()
    }


def by_level(names: Iterable[str]) -> list[str]:
    """Names of difficulty, the easiest first; unknown ones last, in the order of the alphabet."""
    return sorted(
        names, key=lambda n: (LEVELS.index(n.casefold()) if n.casefold() in LEVELS else len(LEVELS), n)
    )


def _plain(tag: str) -> str:
    return " ".join(tag.casefold().replace("-", " ").split())


def in_order(grouping: str, names: Mapping[str, object] | Iterable[str]) -> list[str]:
    """The names of a grouping as reports list them: levels by difficulty, the rest as they came."""
    return by_level(names) if grouping == "difficulty" else list(names)
