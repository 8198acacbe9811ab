"""A check that the tree holds every word of the text, each at its own place.

Where no parser of the server's own can be had, statements are judged on sqlglot's tree; sizes, growth and
rights are everywhere. sqlglot drops what it has no place for, such as a third argument of `date_format`, and
the server reads it all the same. So each name, value and call of the text has to be found in the tree by
where it starts. What isn't there has to be a word of the dialect's grammar (`words` in names/*.toml), or to
be there in another spelling, which answers for one word alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from sqlglot import exp
from sqlglot.time import format_time
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.words import Refused, dialect_of, names_of, syntax
from fathom.errors import ErrorClass

_SIGNS = frozenset("+-*/<>=~!@#%^&|`?.,;:()[]{}$\\")
_QUOTED = frozenset(k for k in TokenType if k.name.endswith("STRING")) | {TokenType.IDENTIFIER}
_VALUES = _QUOTED | {TokenType.NUMBER}
_SURE_SIGNS = frozenset((TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA, TokenType.DOT))
_NAMES = frozenset((TokenType.IDENTIFIER, TokenType.VAR))
_NO_NAMES = frozenset((TokenType.NUMBER, TokenType.STRING))
_CLOSERS = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))
_STANDALONE = frozenset(
    """
    null true false default user session_user system_user current_catalog current_database current_date
    current_datetime current_path current_role current_schema current_time current_timestamp current_user
    localtime localtimestamp utc_date utc_time utc_timestamp
    """.split()
)
"""Words that are values by themselves. Others of the grammar stand beside a word, or before a bracket."""
_QUANTIFIERS = frozenset(("any", "some"))  # `ANY (...)`, and Snowflake's `IN (ANY ORDER BY a)`
_BEFORE_VALUES = frozenset("select distinct all not case".split())
"""Words before a value, which may begin with a sign: `(DISTINCT -a)`."""
_TYPED_TEXTS = {
    "mysql": frozenset(("binary", "date", "interval", "time", "timestamp")),
    "sqlite": frozenset[str](),
}
"""Types that may stand before a text, `DATE '2024-01-31'`, where not all types may."""
_BEFORE_NAMES = frozenset("charset collate sample set tablesample using".split())
_WITH_PATHS = frozenset(("snowflake", "databricks"))  # `j:a.b`
_LAST_PARTS = frozenset(("snowflake", "bigquery"))  # `date_trunc(a, month)`
_JUDGED = frozenset(("duckdb", "postgres"))  # whose own parsers tell columns from such words
_BEFORE_INDICES = frozenset((TokenType.L_BRACKET, TokenType.HASH))  # `a[1]`, and `#1` of DuckDB
_INTERVAL = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*[a-zA-Z]+\s*")
_BETWEEN_DASHES = re.compile("[^-]+")


class _Rewritten(NamedTuple):
    """The values of a tree without a place: texts, and numbers behind `#`, each as often as it is there."""

    others: Counter[str]
    paths: list[exp.JSONPath]


def check_agreement(nodes: Sequence[exp.Expr], tokens: Sequence[Token], dialect: str) -> None:
    """Raises `Refused` where the tree lacks a word of the text that isn't syntax.

    `nodes` are all of the tree, from the root on; `tokens` are those that it was made of.
    """
    starts = _starts(nodes, dialect)
    kinds = [token.token_type for token in tokens]
    _check_tables(nodes, tokens, kinds)
    _check_dots(tokens, kinds)
    rewritten: _Rewritten | None = None
    last = len(tokens) - 1
    for at, token in enumerate(tokens):
        if token.token_type in _SURE_SIGNS or token.start in starts or _is_sign(token):
            continue
        if _is_syntax(tokens[at - 1] if at else None, token, tokens[at + 1] if at < last else None, dialect):
            continue
        rewritten = rewritten or _rewritten(nodes[0])  # few statements need it
        differs = _may_differ(tokens[at - 1] if at else None, token, dialect)
        if not (differs and _take(token, rewritten, dialect, is_index=_is_index(tokens, at))):
            raise Refused(
                "syntax",
                f"{token.text[:60]!r} isn't read where it stands; leave it out, or write it in another way.",
                ErrorClass.SYNTAX,
            )


def _starts(nodes: Sequence[exp.Expr], dialect: str) -> set[int]:
    """The places where the names, values and calls of a tree start."""
    metas = [node._meta for node in nodes if node._meta]  # `meta` would make one for each node
    starts = {meta["start"] for meta in metas if "start" in meta}
    if dialect == "bigquery":
        for name in (node for node in nodes if isinstance(node, exp.Identifier)):
            if "-" in name.name and not name.quoted and "start" in name.meta:  # a project
                starts.update(name.meta["start"] + m.start() for m in _BETWEEN_DASHES.finditer(name.name))
    return starts


def _check_tables(nodes: Sequence[exp.Expr], tokens: Sequence[Token], kinds: Sequence[TokenType]) -> None:
    """Refuse `(TABLE t)`, which the parser takes for a name with an alias."""
    if TokenType.TABLE in kinds:
        names = {node._meta.get("start") for node in nodes if isinstance(node, exp.Identifier) and node._meta}
        for before, token in pairwise(tokens):
            opened = before.token_type == TokenType.L_PAREN
            if opened and token.token_type == TokenType.TABLE and token.start in names:
                raise Refused("statement", "TABLE isn't read in these parentheses; write SELECT * FROM.")


def _check_dots(tokens: Sequence[Token], kinds: Sequence[TokenType]) -> None:
    """Refuse `t.5`, and `t.'a'`, which SQLite takes for a column: the tree has none there."""
    if TokenType.DOT in kinds and not _NO_NAMES.isdisjoint(kinds):
        for at, (earlier, dot, kind) in enumerate(zip(kinds, kinds[1:], kinds[2:], strict=False)):
            is_name = kind == TokenType.STRING or (kind == TokenType.NUMBER and earlier in _NAMES)
            if dot == TokenType.DOT and is_name:
                raise Refused("quoting", f"write {tokens[at + 2].text[:40]!r} behind the dot as a name.")


def _is_sign(token: Token) -> bool:
    return token.token_type not in _QUOTED and _SIGNS.issuperset(token.text)


def _is_index(tokens: Sequence[Token], at: int) -> bool:
    """True for a number that says which element is meant: `a[-1]`."""
    at -= 1
    while at > 0 and tokens[at].token_type == TokenType.DASH:
        at -= 1
    return at >= 0 and tokens[at].token_type in _BEFORE_INDICES


def _rewritten(tree: exp.Expr) -> _Rewritten:
    found, starts, numbers = _Rewritten(Counter(), []), set[int](), set[int]()
    left: list[exp.Expr] = [tree]
    while left:
        node = left.pop()
        start = node._meta.get("start") if node._meta else None
        if start is not None:
            if start in starts and isinstance(node, exp.Func):
                continue  # the parser's copy: nullifzero(f(a)) becomes IF(f(a) = 0, NULL, f(a))
            starts.add(start)
        for value in node.args.values():
            if value.__class__ is list:
                left += [each for each in value if isinstance(each, exp.Expr)]
            elif isinstance(value, exp.Expr):
                left.append(value)
            elif start is None and isinstance(value, (str, int)) and not isinstance(value, bool):
                # Copies of a number share its text, and so do all texts of one digit.
                if isinstance(value, str) and len(value) > 1 and value.isdecimal():
                    if id(value) in numbers:
                        continue
                    numbers.add(id(value))
                is_number = isinstance(node, exp.Literal) and not node.is_string
                found.others[f"#{value}" if is_number else str(value)] += 1
        if isinstance(node, exp.JSONPath):
            found.paths.append(node)
    return found


def _is_syntax(before: Token | None, token: Token, after: Token | None, dialect: str) -> bool:
    """True for a type, a parameter's name, a word of the grammar, and a call that has a rule of its own.

    What stands in such a call is looked for like all else.
    """
    if token.token_type in _VALUES:
        return False
    parser, names = dialect_of(dialect).parser_class, names_of(dialect)
    follows = after.token_type if after else None
    word = token.text.casefold()
    if token.token_type in parser.TYPE_TOKENS or follows == TokenType.FARROW:
        # `year 'x'` is a column and its other name where such a text isn't a date.
        return follows != TokenType.STRING or word in _TYPED_TEXTS.get(dialect, (word,))
    if follows == TokenType.L_PAREN:
        if word in names.functions or word.upper() in parser.FUNCTION_PARSERS:
            return word in names.unnamed_calls or word.upper() in parser.FUNCTION_PARSERS
    elif follows == TokenType.DOT:
        return word in names.qualifiers
    elif word not in _STANDALONE and word not in _BEFORE_VALUES:
        opens = before is None or (_is_sign(before) and before.token_type not in _CLOSERS)
        if (opens and (after is None or _is_sign(after))) or (not opens and word in _QUANTIFIERS):
            return False  # a value of its own, such as a column of that name
    return word in names.words or all(p in names.words or p in names.not_calls for p in word.split())


def _may_differ(before: Token | None, token: Token, dialect: str) -> bool:
    """True for a text, a number, and a word that may be in the tree as a word that is no column.

    Such are parts of dates, names of collations and character sets, and steps of a path.
    """
    if token.token_type in (TokenType.STRING, TokenType.NUMBER) or dialect in _JUDGED:
        return True
    last = before.text.casefold() if before else ""
    if dialect in _WITH_PATHS and last in (":", "."):
        return True
    if token.token_type == TokenType.IDENTIFIER or (last == "," and dialect not in _LAST_PARTS):
        return False
    abbreviated = dialect == "snowflake" and token.text.upper() in dialect_of(dialect).DATE_PART_MAPPING
    return abbreviated or token.text.casefold() in syntax().date_parts or last in _BEFORE_NAMES


def _take(token: Token, held: _Rewritten, dialect: str, *, is_index: bool) -> bool:
    """True if a word is in the tree in another spelling, which is taken from there."""
    text = str(token.text)
    is_number = token.token_type == TokenType.NUMBER
    spellings = _numbers(text, is_index=is_index) if is_number else _texts(text, dialect)
    for spelling in spellings:
        if held.others[spelling]:
            held.others[spelling] -= 1
            return True
    if token.token_type != TokenType.STRING:
        return False
    if held.paths:
        path = dialect_of(dialect).to_json_path(exp.Literal.string(text))
        if isinstance(path, exp.JSONPath) and path in held.paths:
            held.paths.remove(path)
            return True
    return names_of(dialect).words.issuperset(text.casefold().split())  # list_sort(a, 'DESC', 'NULLS LAST')


def _numbers(text: str, *, is_index: bool) -> Iterator[str]:
    """The ways in which the parser may have written a number anew."""
    if not text.isdecimal():
        yield text
        return
    # It counts the elements of an array from 0, whatever the server counts them from.
    number = int(text)
    nearby = (number - 1, number + 1, abs(number - 1), number) if is_index else ()
    indices = [f"#{one}" for one in nearby]
    yield from (*indices, text, f"#0.{text}")  # `.5` has a point of its own


def _texts(text: str, dialect: str) -> Iterator[str]:
    """The ways in which the parser may have written a text or a word anew."""
    own = dialect_of(dialect)
    yield from (text, text.upper(), own.DATE_PART_MAPPING.get(text.upper(), ""))
    if interval := _INTERVAL.fullmatch(text):
        yield interval[1]
    for mapping in _formats(dialect):
        yield from (format_time(text, mapping) or "", format_time(text.upper(), mapping) or "")


@cache
def _formats(dialect: str) -> tuple[dict[str, str], ...]:
    """The signs of dates, as the parser writes them; `to_char` of Trino has those of Teradata."""
    own = dialect_of(dialect)
    more = (dialect_of("teradata").TIME_MAPPING,) if dialect == "trino" else ()
    return own.TIME_MAPPING, own.FORMAT_MAPPING, *more
