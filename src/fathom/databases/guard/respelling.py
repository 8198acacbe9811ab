"""Words that a server knows and sqlglot doesn't, respelled in words that mean the same to both.

sqlglot's tree serves for sizes, growth and rights, so that what it can't read has to be refused. Each
respelling keeps the meaning, since under a file of rights the tree is printed and sent. Where nothing does,
`instead` says what to write.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, zip_longest

from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.text import split
from fathom.databases.guard.words import listed

_BEFORE_OPERANDS = frozenset(
    (
        *(TokenType.SELECT, TokenType.WHERE, TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.ON),
        *(TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.COMMA, TokenType.PLUS, TokenType.DASH),
        *(TokenType.STAR, TokenType.SLASH, TokenType.EQ, TokenType.LT, TokenType.GT, TokenType.LTE),
        *(TokenType.GTE, TokenType.NEQ, TokenType.WHEN, TokenType.THEN, TokenType.ELSE),
        *(TokenType.BETWEEN, TokenType.HAVING, TokenType.ORDER_BY, TokenType.GROUP_BY),
    )
)
_BEFORE_TEXTS = frozenset("both default escape leading passing path placing trailing zone".split())
"""Words of PostgreSQL's grammar that stand before a text and aren't its type."""
_OPERATOR_SIGNS = frozenset("+-*/<>=~!@#%^&|`?")
_AFTER_GROUPS = frozenset(
    (
        *(TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.WINDOW, TokenType.UNION),
        *(TokenType.EXCEPT, TokenType.INTERSECT, TokenType.FETCH, TokenType.OFFSET),
    )
)
_BEFORE_SETS = frozenset((TokenType.GROUP_BY, TokenType.COMMA, TokenType.L_PAREN, TokenType.DISTINCT))
_MODIFIERS = frozenset("high_priority straight_join sql_big_result sql_small_result".split())


_COALESCE = "ON EMPTY and ON ERROR aren't read; leave them out, and write COALESCE for a default."
_CYCLE = "CYCLE ... RESTRICT isn't read; write UNION for UNION ALL, which ends where no new row comes."
PATH = "j:a.b isn't read; write variant_get(j, '$.a.b', 'string') or get_json_object(j, '$.a.b')."
_INSTEAD = {
    ("mysql", " restrict "): _CYCLE,
    ("mysql", " on empty "): _COALESCE,
    ("mysql", " on error "): _COALESCE,
    ("spark", " : "): PATH,
}


def instead(tokens: Sequence[Token], dialect: str) -> str:
    """Tell what to write for words that sqlglot can't read; "" where none of them is known."""
    text = f" {' '.join(token.text.casefold() for token in tokens)} "
    return next((why for (where, found), why in _INSTEAD.items() if where == dialect and found in text), "")


def respelled(tokens: Sequence[Token], dialect: str) -> list[Token]:
    """Give the tokens of a statement as sqlglot can read them."""
    match dialect:
        case "postgres":
            return _of_postgres(tokens)
        case "duckdb" if tokens[0].token_type in (TokenType.PIVOT, TokenType.UNPIVOT):
            return _pivot_in_from(tokens)
        case "mysql":
            return _of_mysql(tokens)
        case "spark" | "databricks":
            return _of_spark(tokens)
    return list(tokens)


def takes_path(tokens: Sequence[Token]) -> bool:
    """True for `j:a`, which sqlglot takes for a parameter after a value where it knows no such path."""
    touching = (
        after.start == before.end + 1
        for before, after in pairwise(tokens)
        if after.token_type == TokenType.COLON and before.token_type in (TokenType.VAR, TokenType.R_PAREN)
    )
    return any(touching)


def _of_postgres(tokens: Sequence[Token]) -> list[Token]:
    """Leave out the operator `@`, which makes a number positive; cast a text that has a type before it."""
    tokens = _with_operators(_with_cubes(tokens))
    kinds = [token.token_type for token in tokens]
    if TokenType.PARAMETER not in kinds and (TokenType.VAR, TokenType.STRING) not in pairwise(kinds):
        return tokens
    kept: list[Token] = []
    kind: Token | None = None
    for token, after in zip_longest(tokens, tokens[1:]):
        starts = not kept or kept[-1].token_type in _BEFORE_OPERANDS
        is_type = token.token_type == TokenType.VAR and after and after.token_type == TokenType.STRING
        if is_type and token.text.casefold() not in _BEFORE_TEXTS:
            kind = token
        elif kind is not None:
            kept += [token, *split("::", "postgres"), kind]
            kind = None
        elif not (token.token_type == TokenType.PARAMETER and starts):
            kept.append(token)
    return kept


def _with_cubes(tokens: Sequence[Token]) -> list[Token]:
    """`cube` as a name, but for a grouping set's: an item of GROUP BY, or within GROUPING SETS."""
    if TokenType.CUBE not in [token.token_type for token in tokens]:
        return list(tokens)
    grouped = [False]  # for each bracket that is open
    found: list[Token] = []
    for before, token, after in zip_longest([None, *tokens[:-1]], tokens, tokens[1:]):
        kind, last = token.token_type, before.token_type if before else None
        if kind == TokenType.GROUP_BY:
            grouped[-1] = True
        elif kind in _AFTER_GROUPS:
            grouped[-1] = False
        elif kind == TokenType.L_PAREN:
            grouped.append(grouped[-1] and last == TokenType.GROUPING_SETS)
        elif kind == TokenType.R_PAREN and len(grouped) > 1:
            grouped.pop()
        groups = grouped[-1] and last in _BEFORE_SETS and after and after.token_type == TokenType.L_PAREN
        found.append(_named(token) if kind == TokenType.CUBE and not groups else token)
    return found


def _with_operators(tokens: list[Token]) -> list[Token]:
    """`OPERATOR(...)` for an operator between two values that sqlglot takes for several."""
    signs = [_OPERATOR_SIGNS.issuperset(token.text) for token in tokens]
    if (True, True) not in pairwise(signs):
        return tokens
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end = at + 1
        if not signs[at]:
            found.append(tokens[at])
            at = end
            continue
        while end < len(tokens) and tokens[end].start == tokens[end - 1].end + 1:
            if not signs[end]:
                break
            end += 1
        run = tokens[at:end]
        between = bool(found) and found[-1].token_type not in _BEFORE_OPERANDS
        if len(run) > 1 and between and "".join(token.text for token in run) in _operators():
            found += [*split("OPERATOR (", "postgres"), *run, *split(")", "postgres")]
        else:
            found += run
        at = end
    return found


@cache
def _operators() -> frozenset[str]:
    return frozenset(listed("postgres", "tree")["operators"].split())


def _named(token: Token) -> Token:
    """The same word as a name."""
    return Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end)


def _of_mysql(tokens: Sequence[Token]) -> list[Token]:
    """DISTINCT before other options of SELECT, and LIMIT without ROWS EXAMINED.

    That bound only makes the server give up sooner than Fathom's own would.
    """
    found: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.DISTINCT:
            at = len(found)
            while at and found[at - 1].text.casefold() in _MODIFIERS:
                at -= 1
            found.insert(at if at and found[at - 1].token_type == TokenType.SELECT else len(found), token)
        elif token.token_type == TokenType.NUMBER and _examined(found):
            del found[-2:]
        else:
            found.append(token)
    return found


def _examined(tokens: Sequence[Token]) -> bool:
    words = [token.text.casefold() for token in tokens[-4:]]
    return words[-2:] == ["rows", "examined"] and words[:1] in (["limit"], [","], ["offset"])


def _of_spark(tokens: Sequence[Token]) -> list[Token]:
    """`window` as a name where it is called, or is the column that its call makes."""
    after = (TokenType.L_PAREN, TokenType.DOT)
    return [
        _named(token)
        if token.token_type == TokenType.WINDOW and follower and follower.token_type in after
        else token
        for token, follower in zip_longest(tokens, tokens[1:])
    ]


def _pivot_in_from(tokens: Sequence[Token]) -> list[Token]:
    """`FROM (PIVOT ...) LIMIT 3` for `PIVOT ... LIMIT 3`."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if not depth and token.token_type in (TokenType.ORDER_BY, TokenType.LIMIT):
            return [*split("FROM (", "duckdb"), *tokens[:at], *split(")", "duckdb"), *tokens[at:]]
    return list(tokens)
