"""Changes of one token that make code wrong, to see if a test notices."""

import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+"},
    **{"and": "or", "or": "and", "min": "max", "max": "min", "any": "all", "all": "any"},
    **{"True": "False", "False": "True", "not": ""},
}


@dataclass(frozen=True)
class Mutation:
    """One token changed: where it stood, and the whole text afterwards."""

    line: int
    before: str
    after: str
    text: str


def mutations(text: str) -> Iterator[Mutation]:
    """Give all changes of one token of a module: comparisons, and/or, not, +/-, min/max, any/all, numbers."""
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        after = _other(token)
        if after is None:
            continue
        row, column = token.start
        line = lines[row - 1]
        changed = line[:column] + after + line[token.end[1] :]
        yield Mutation(row, token.string, after, "".join([*lines[: row - 1], changed, *lines[row:]]))


def _other(token: tokenize.TokenInfo) -> str | None:
    if token.type in (tokenize.OP, tokenize.NAME):
        return _SWAPS.get(token.string)
    if token.type == tokenize.NUMBER and token.string.replace("_", "").isdigit():
        return str(int(token.string) + 1)
    if token.type == tokenize.NUMBER and token.string.startswith("0o"):
        return oct(int(token.string, 8) + 1)
    return None
