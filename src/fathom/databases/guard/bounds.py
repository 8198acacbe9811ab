"""How much text is read at all, so that judging a statement takes a tenth of a second at the most.

The parser tries types before values, so that what stands in brackets after a type's name may be read twice,
and what stands in brackets in there four times. All bounds are counted on tokens, before anything is parsed.
"""

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.words import Refused, dialect_of
from fathom.databases.guard_sqlite import LONGEST_QUERY

DEEPEST = 40  # brackets within brackets
LONGEST_LIST = 10_000  # tokens between two brackets, without those in brackets of their own
MOST_READ = 30_000  # tokens of the whole
LONGEST_CHAIN = 100  # of `[1]`, `.f()` and `~ b`: the parser's time for them grows with their square
MOST_TOKENS = 2_500  # of the whole, without what `folded` leaves out
MOST_READINGS = 20_000  # of tokens, where each bracket after a type doubles them; about 2 µs each
_KEPT = 32  # of equal elements of a list: more than any function has arguments that matter

_OPENERS = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
_CLOSERS = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))
_DOT = TokenType.DOT
_LINKS = frozenset((TokenType.L_BRACKET, TokenType.TILDE, TokenType.RLIKE))
_COUNTED = _OPENERS | _LINKS
_BREAKS = frozenset((TokenType.COMMA, TokenType.AND, TokenType.OR, TokenType.WHEN, TokenType.THEN))
_PLAIN = frozenset((TokenType.NUMBER, TokenType.STRING, TokenType.NULL, TokenType.TRUE, TokenType.FALSE))


def check_length(sql: str) -> None:
    """Raises `Refused` for a text that is too long to be read."""
    if len(sql) > LONGEST_QUERY:
        raise Refused("size", f"it is longer than {LONGEST_QUERY:,} characters.")


def check_bounds(tokens: Sequence[Token]) -> None:
    """Raises `Refused` for deep nesting and long lists and chains; in linear time."""
    if len(tokens) > MOST_READ:
        raise Refused("size", f"it has more than {MOST_READ:,} words.")
    kinds = [token.token_type for token in tokens]
    if len(kinds) <= LONGEST_LIST and sum(map(_COUNTED.__contains__, kinds)) <= DEEPEST:
        return  # too few brackets to be nested or chained beyond the bounds, as in most statements
    counts, chains = [0], [0]
    for at, token in enumerate(tokens):
        kind = token.token_type
        counts[-1] += 1
        if kind in _BREAKS:
            chains[-1] = 0
        elif kind in _LINKS or (kind == TokenType.L_PAREN and at > 1 and tokens[at - 2].token_type == _DOT):
            chains[-1] += 1
        if counts[-1] > LONGEST_LIST:
            raise Refused("size", f"a list or chain in it is longer than {LONGEST_LIST:,} words.")
        if chains[-1] > LONGEST_CHAIN:
            raise Refused("size", f"more than {LONGEST_CHAIN} brackets, calls or ~ follow one value in it.")
        if kind in _OPENERS:
            counts.append(0)
            chains.append(0)
            if len(counts) > DEEPEST + 1:
                raise Refused("size", f"it is nested deeper than {DEEPEST} brackets.")
        elif kind in _CLOSERS and len(counts) > 1:
            counts.pop()
            chains.pop()


def check_readings(tokens: Sequence[Token], dialect: str) -> None:
    """Raises `Refused` where the parser would have to read too many words, or the same words too often."""
    if len(tokens) > MOST_TOKENS:
        raise Refused("size", f"it has more than {MOST_TOKENS:,} words beside lists of plain values.")
    types = dialect_of(dialect).parser_class.TYPE_TOKENS
    doublings = sum(map(types.__contains__, [token.token_type for token in tokens]))
    if len(tokens) << min(doublings, 20) <= MOST_READINGS:
        return
    weights, readings = [1], 0
    before: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        readings += weights[-1]
        if readings > MOST_READINGS:
            raise Refused("size", "brackets after names of types are nested too deeply in it.")
        if kind in _OPENERS:
            weights.append(weights[-1] * 2 if before in types else weights[-1])
        elif kind in _CLOSERS and len(weights) > 1:
            weights.pop()
        before = kind


def most_nodes(tokens: Sequence[Token]) -> int:
    """How many nodes a parser may make of so many tokens before it must be going in circles."""
    return 500 + 4 * len(tokens)


def folded(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with long lists of plain values cut: `IN (1, 2, ...)`, `VALUES (1, 'a'), (2, 'b'), ...`.

    What is left out are numbers and texts after 32 of their kind, which no rule of the guard looks at.
    """
    if [token.token_type for token in tokens].count(TokenType.COMMA) <= _KEPT:
        return list(tokens)
    kept: list[Token] = []
    runs = [0]
    at, count = 0, len(tokens)
    while at < count:
        kind = tokens[at].token_type
        if kind == TokenType.COMMA:
            end = _plain_end(tokens, at + 1)
            runs[-1] = runs[-1] + 1 if end else 0
            if end and runs[-1] > _KEPT:
                at = end
                continue
        elif kind in _OPENERS:
            runs.append(0)
        elif kind in _CLOSERS and len(runs) > 1:
            runs.pop()
        kept.append(tokens[at])
        at += 1
    return kept


def _plain_end(tokens: Sequence[Token], at: int) -> int:
    """Where a plain element ends that a comma or bracket follows; 0 for any other element."""
    kind = tokens[at].token_type if at < len(tokens) else None
    if kind == TokenType.L_PAREN:
        end = at + 1
        while end < len(tokens) and tokens[end].token_type in (*_PLAIN, TokenType.COMMA, TokenType.DASH):
            end += 1
        end = end + 1 if end < len(tokens) and tokens[end].token_type == TokenType.R_PAREN else 0
    else:
        end = at + 1 if kind == TokenType.DASH else at
        plain = end < len(tokens) and tokens[end].token_type in _PLAIN
        end = end + 1 if plain else 0
    follows = tokens[end].token_type if end and end < len(tokens) else None
    return end if end and (follows in (None, TokenType.COMMA) or follows in _CLOSERS) else 0
