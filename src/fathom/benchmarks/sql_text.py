"""SQL text cut into its smallest pieces, without a parser: quick, and at home in every dialect.

Only for what must not depend on whether a query parses: where a statement ends, and which words are
keywords rather than parts of a literal. Everything else about SQL is the parser's.
"""

import re
from collections.abc import Iterator

# Strings, quoted names, comments, dollar quotes, words and numbers, blanks, and single characters.
_PIECE = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[A-Za-z_][^\]\n]*\]
      | \$(?P<tag>[A-Za-z_]*)\$.*?\$(?P=tag)\$
      | --[^\n]* | /\*.*?\*/ | [^\W\d]\w* | \d[\w.]* | \s+ | .""",
    re.VERBOSE | re.DOTALL,
)


def pieces(sql: str) -> Iterator[str]:
    """The pieces of a SQL text in order; joined they give the text again."""
    return (found.group() for found in _PIECE.finditer(sql))


def is_code(piece: str) -> bool:
    """True if a piece is neither literal, nor quoted name, nor comment, nor blank."""
    return piece[0] not in "'\"`[" and piece[:2] not in ("--", "/*") and not piece.isspace()


def statements(sql: str) -> tuple[str, ...]:
    """The statements of a text, split at `;` outside literals and comments; empty ones dropped."""
    found: list[list[str]] = [[]]
    for piece in pieces(sql):
        if piece == ";":
            found.append([])
        else:
            found[-1].append(piece)
    return tuple(text for parts in found if (text := "".join(parts).strip()))


def without_keyword(sql: str, keyword: str) -> str:
    """The text without one keyword, wherever it stands as code."""
    return "".join(piece for piece in pieces(sql) if piece.lower() != keyword)


def without_semicolon(sql: str) -> str:
    """A query without the semicolons that end it and the space around it."""
    return sql.strip().rstrip(";").rstrip()
