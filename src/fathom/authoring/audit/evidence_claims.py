"""The claims of a question's evidence of the database: columns, conditions and functions.

BIRD writes its evidence as statements that semicolons part: "words refers to column = 'value'", "words =
FORMULA(column)".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fathom.records import Schema

_TEST = re.compile(
    r"""^[`"'\])\s]*(?P<sign>>\s*=|<\s*=|!\s*=|<>|=|>|<|\bLIKE\b|\bBETWEEN\b)\s*
    (?P<value>'[^']*'|"[^"]*"|-?\d[\d,]*(?:\.\d+)?%?)(?:\s*AND\s*(?P<upper>'[^']*'|-?\d[\d.,]*))?""",
    re.IGNORECASE | re.VERBOSE,
)
_MEANS = re.compile(
    r"\b(?:refers?\s+to|means?|stands?\s+for|indicates?|represents?|implies|mentioned\s+in)\b|(?<![<>!\s])\s*=(?!=)",
    re.IGNORECASE,
)
_CALL = re.compile(r"\b(max|min|sum|count|avg|divide|subtract|multiply)\s*\(", re.IGNORECASE)
_QUOTED_NAME = re.compile(r"`[^`]*`")
_BEFORE_NAME = ("(", "`", ".", ", ")
_AFTER_NAME = re.compile(r"[`\"' \]]*(?:[=<>!)]|LIKE\b|BETWEEN\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EvidenceClaim:
    """One statement of the evidence.

    `phrase` are the words that it explains. Columns are sets of `table.column`, folded in case: one name may
    be of several tables. `tests` are (column, sign, value); `functions` are those of a formula.
    """

    text: str
    phrase: str
    columns: tuple[frozenset[str], ...]
    tests: tuple[tuple[frozenset[str], str, str], ...]
    functions: tuple[str, ...]

    @property
    def offers_choice(self) -> bool:
        """True if any one of its conditions may be meant: "8 for men or 6.5 for women"."""
        return re.search(r"\bor\b", self.text, re.IGNORECASE) is not None


def read_claims(evidence: str, schema: Schema) -> tuple[EvidenceClaim, ...]:
    """The statements of the evidence that name a column or a function, in order."""
    names = _names(schema)
    claims = (_claim(s.strip(), names) for s in re.split(r"[;\n]", evidence) if s.strip())
    return tuple(c for c in claims if c.columns or c.functions)


def _names(schema: Schema) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for table in schema.tables:
        for column in table.columns:
            found.setdefault(column.name.casefold(), set()).add(f"{table.name}.{column.name}".casefold())
    return {name: frozenset(keys) for name, keys in found.items()}


def _claim(statement: str, names: Mapping[str, frozenset[str]]) -> EvidenceClaim:
    means = _MEANS.search(statement)
    phrase, said = statement, statement
    if means is not None:
        ahead, after = statement[: means.start()], statement[means.end() :]
        bare = _CALL.search(ahead) or any(True for _ in _places(statement, names, before=means.start()))
        if means.group().strip() == "=":
            phrase = "" if bare else ahead  # "column = value" explains no words
        else:
            phrase, said = (after, ahead) if bare else (ahead, after)
    columns, tests = [], []
    for end, keys in _places(said, names):
        columns.append(keys)
        if (test := _TEST.match(said[end:])) is not None:
            tests += [(keys, sign, value) for sign, value in _conditions(test)]
    functions = (f.casefold() for f in _CALL.findall(_QUOTED_NAME.sub("", statement)))
    return EvidenceClaim(
        statement,
        phrase.strip(),
        tuple(dict.fromkeys(columns)),
        tuple(tests),
        tuple(dict.fromkeys(functions)),
    )


def _conditions(test: re.Match[str]) -> Iterator[tuple[str, str]]:
    sign = "".join(test["sign"].casefold().split()).replace("!=", "<>")
    value = test["value"].strip("'\"")
    if sign != "between":
        yield sign, value
    elif test["upper"]:
        yield ">=", value
        yield "<=", test["upper"].strip("'")


def _places(
    text: str, names: Mapping[str, frozenset[str]], *, before: int | None = None
) -> Iterator[tuple[int, frozenset[str]]]:
    """Where columns are named: (where the name ends, which columns), the longest name first at each place.

    A name in small letters without an underscore may be a plain word: it counts only in brackets or
    backquotes, after a point, or before a sign. Those after the place `before` are left out.
    """
    folded = text.casefold()
    taken: list[tuple[int, int]] = []
    found = []
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded):
            start, end = match.span()
            if any(a < end and start < b for a, b in taken):
                continue
            written = text[start:end]
            marked = text[:start].endswith(_BEFORE_NAME) or _AFTER_NAME.match(text[end:])
            if marked or (len(name) > 1 and (not written.islower() or "_" in written)):
                taken.append((start, end))
                found.append((end, names[name]))
    last = len(text) if before is None else before
    yield from sorted((one for one in found if one[0] <= last), key=lambda one: one[0])
