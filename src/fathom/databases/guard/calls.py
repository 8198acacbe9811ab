"""Which functions a query calls: every name before a parenthesis must be on the dialect's list.

The names are taken from the tokens, as the server will read them, because a parser knows many by other names.
"""

from collections.abc import Collection, Container, Iterator, Sequence
from difflib import get_close_matches

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.words import DialectNames, Refused, syntax
from fathom.errors import ErrorClass

# MySQL reads "..." as a name or as a string, by its settings.
_QUOTED = frozenset((TokenType.IDENTIFIER, TokenType.STRING))
_OPERANDS_END = _QUOTED | {TokenType.VAR, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET}
_HARMLESS_SETTINGS = frozenset(("timezone", "calendar", "datestyle", "intervalstyle"))
_SAMPLE_METHODS = frozenset(("bernoulli", "system", "reservoir"))
_BEFORE_SAMPLE_METHODS = frozenset(("tablesample", "using", "sample", "using sample"))

_AFTER_SAMPLES = frozenset(("repeatable", "seed"))


def check_calls(tokens: Sequence[Token], names: DialectNames, dialect: str, aliases: Container[int]) -> None:
    """Hold every call against the list. `aliases` are where the names of column lists, `AS t(a)`, start."""
    for at, token in _calls(tokens):
        if token.start not in aliases:
            _check_call(at, tokens, names, dialect)


def called(tokens: Sequence[Token]) -> frozenset[str]:
    """Give every word before a parenthesis, in lower case: whatever may be a function's name."""
    return frozenset(token.text.casefold() for _, token in _calls(tokens))


def check_own(
    functions: Collection[str],
    operators: Collection[str],
    catalogue: Catalogue | None,
    types: Collection[str] = (),
) -> None:
    """Raises `Refused` where a name may be a function, operator or type that a user has made."""
    if catalogue is not None and (functions or operators or types):
        for name in sorted(catalogue.own(functions, operators, types)):
            raise Refused(
                "function",
                f"{name[:60]} is also the name of a function, operator or type of the database's owner.",
            )


def _calls(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens before an opening parenthesis that might be a function's name."""
    for at in range(len(tokens) - 1):
        token = tokens[at]
        is_word = token.text[-1:].isalnum() or token.text[-1:] == "_"
        if tokens[at + 1].token_type == TokenType.L_PAREN and (is_word or token.token_type in _QUOTED):
            yield at, token


def _check_call(at: int, tokens: Sequence[Token], names: DialectNames, dialect: str) -> None:
    token = tokens[at]
    if token.token_type in _QUOTED:
        raise Refused("function", f"write the function {token.text[:40]!r} without quotes.")
    qualified = at > 0 and tokens[at - 1].token_type == TokenType.DOT
    words = token.text.casefold().split()
    name = words[-1]
    if qualified and dialect != "duckdb":
        qualifier = tokens[at - 2].text.casefold()
        if qualifier not in names.qualifiers:
            raise Refused("function", f"{qualifier[:40]}.{name[:40]}() may be anyone's function.")
    elif not qualified and _calls_nothing(at, tokens, words, names):
        return
    if name == "current_setting" and _told_setting(tokens[at + 2 : at + 4]):
        return
    check_name(name, names)


def is_harmless_setting(call: exp.Expr) -> bool:
    """Tell whether a call reads one of the settings that say how dates are shown."""
    texts = [a.name for a in call.expressions if isinstance(a, exp.Literal)]
    return len(texts) == len(call.expressions) and is_harmless(call.name.casefold(), texts)


def is_harmless(name: str, texts: Sequence[str]) -> bool:
    """Tell whether a call of a function with these texts reads a setting that says how dates are shown."""
    return name == "current_setting" and len(texts) == 1 and texts[0].casefold() in _HARMLESS_SETTINGS


def _told_setting(arguments: Sequence[Token]) -> bool:
    return [t.token_type for t in arguments] == [TokenType.STRING, TokenType.R_PAREN] and arguments[
        0
    ].text.casefold() in _HARMLESS_SETTINGS


def _calls_nothing(at: int, tokens: Sequence[Token], words: Sequence[str], names: DialectNames) -> bool:
    if words[-1] in _SAMPLE_METHODS:
        return at > 0 and tokens[at - 1].text.casefold() in _BEFORE_SAMPLE_METHODS
    if words == ["glob"]:  # an operator, and on DuckDB a function that lists files
        return at > 0 and (
            tokens[at - 1].token_type in _OPERANDS_END or tokens[at - 1].text.casefold() == "not"
        )
    if words[0] in _AFTER_SAMPLES:
        return at > 0 and tokens[at - 1].token_type == TokenType.R_PAREN
    if words == ["columns"] and names.not_calls.isdisjoint(words):  # of JSON_TABLE, after its path
        return at > 0 and tokens[at - 1].token_type == TokenType.STRING
    return len(words) > 1 or words[0] in names.not_calls or words[0] in syntax().types


def check_name(name: str, names: DialectNames) -> None:
    """Raises `Refused` for a function that isn't on the list, with the nearest name of those that are."""
    folded = name.casefold()
    if folded in names.functions:
        return
    if folded in syntax().why_refused:
        raise Refused("function", f"{folded}() isn't let through: {syntax().why_refused[folded]}.")
    close = get_close_matches(folded, names.functions, n=1)
    hint = f" Did you mean {close[0]}()?" if close else ""
    raise Refused(
        "function",
        f"{name[:60]}() isn't on the list of functions that only compute.{hint}",
        ErrorClass.NO_SUCH_FUNCTION,
    )
