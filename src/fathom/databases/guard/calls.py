"""Which functions a query calls: every name before a parenthesis must be on the dialect's list.

The names are taken from the tokens, as the server will read them, because a parser knows many by other names.
"""

from collections.abc import Container, Iterator, Sequence
from difflib import get_close_matches

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.words import Names, Refused, syntax
from fathom.errors import ErrorClass

# MySQL reads "..." as a name or as a string, by its settings.
_QUOTED = frozenset((TokenType.IDENTIFIER, TokenType.STRING))
_SAMPLE_METHODS = frozenset(("bernoulli", "system", "reservoir"))
_BEFORE_SAMPLE_METHODS = frozenset(("tablesample", "using", "sample", "using sample"))


def check_calls(tokens: Sequence[Token], names: Names, dialect: str, aliases: Container[int]) -> None:
    """Hold every call against the list. `aliases` are where the names of column lists, `AS t(a)`, start."""
    for at, token in _calls(tokens):
        if token.start not in aliases:
            _check_call(at, tokens, names, dialect)


def check_fields(tree: exp.Expr, names: Names) -> None:
    """PostgreSQL takes `(x).f` for `f(x)`, and `a.f` too where `a` is what a function in FROM gave.

    So a field of such must be one that the query names itself, or a usual one. Raises `Refused`.
    """
    rows_of_functions: dict[str, set[str]] = {}
    for source in tree.find_all(exp.Table, exp.Lateral, exp.Unnest):
        function = source if isinstance(source, exp.Unnest) else source.this
        if isinstance(function, exp.Func):
            alias = source.args.get("alias")
            columns = alias.columns if isinstance(alias, exp.TableAlias) else []
            known = rows_of_functions.setdefault((source.alias or function.sql_name()).casefold(), set())
            known.update(c.name.casefold() for c in columns)
            if isinstance(function, exp.Anonymous):
                rows_of_functions[function.name.casefold()] = known
    for node in tree.find_all(exp.Dot, exp.Column):
        named, field = frozenset[str](), node.expression
        if isinstance(node, exp.Column):
            source_name = node.table.casefold()
            if source_name not in rows_of_functions:
                continue
            named, field = frozenset((*rows_of_functions[source_name], source_name)), node.this
        if isinstance(field, exp.Identifier) and field.name.casefold() not in named | names.fields:
            raise Refused(
                "function",
                f"{field.name[:60]!r} after a value may be a call; name the columns: FROM f(...) AS a(b).",
            )


def _calls(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens before an opening parenthesis that might be a function's name."""
    for at in range(len(tokens) - 1):
        token = tokens[at]
        is_word = token.text[-1:].isalnum() or token.text[-1:] == "_"
        if tokens[at + 1].token_type == TokenType.L_PAREN and (is_word or token.token_type in _QUOTED):
            yield at, token


def _check_call(at: int, tokens: Sequence[Token], names: Names, dialect: str) -> None:
    token = tokens[at]
    qualified = at > 0 and tokens[at - 1].token_type == TokenType.DOT
    words = token.text.casefold().split()
    name = words[-1]
    if token.token_type in _QUOTED:
        raise Refused("function", f"write the function {token.text[:40]!r} without quotes.")
    if qualified and dialect != "duckdb":
        qualifier = tokens[at - 2].text.casefold()
        if qualifier not in names.qualifiers:
            raise Refused("function", f"{qualifier[:40]}.{name[:40]}() may be anyone's function.")
    elif not qualified and _calls_nothing(at, tokens, words):
        return
    check_name(name, names)


def _calls_nothing(at: int, tokens: Sequence[Token], words: Sequence[str]) -> bool:
    if words[-1] in _SAMPLE_METHODS:
        return at > 0 and tokens[at - 1].text.casefold() in _BEFORE_SAMPLE_METHODS
    return len(words) > 1 or words[0] in syntax().not_calls or words[0] in syntax().types


def check_name(name: str, names: Names) -> None:
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
