"""The parts that a statement may have on PostgreSQL: kinds of node, functions, operators, types, tables."""

from functools import cache

from fathom.databases.guard.calls import check_name, check_own, is_harmless
from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.postgres.fields import check_fields
from fathom.databases.guard.postgres.parsed import Node, Parts, texts
from fathom.databases.guard.words import DialectNames, Refused, kinds, listed

_WRITES = ("InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "intoClause")
_SYSTEM = "pg_catalog"
# The operators that PostgreSQL makes of BETWEEN.
_BETWEEN = dict.fromkeys(("AEXPR_BETWEEN", "AEXPR_BETWEEN_SYM"), frozenset((">=", "<=")))
_BETWEEN |= dict.fromkeys(("AEXPR_NOT_BETWEEN", "AEXPR_NOT_BETWEEN_SYM"), frozenset(("<", ">")))


def check_statement(query: Node, parts: Parts, names: DialectNames, catalogue: Catalogue | None) -> None:
    """Check every node, and every name after a dot; `parts` are all of the query's. Raises `Refused`."""
    for key in parts:
        if key not in _allowed():
            raise _unknown(key)
    functions = {_check_call(call, names) for call in parts.get("FuncCall", ())}
    # A newer server knows a word of syntax where an older one calls a function of that name.
    functions.update(name for key in _named().keys() & parts for name in _named()[key].split(","))
    for table in parts.get("RangeVar", ()):
        _check_table(table, names)
    for sample in parts.get("RangeTableSample", ()):
        _check_sample(sample)
    types = {_check_type(kind, names) for kind in parts.get("typeName", ())}
    check_own(functions, _operators_in(parts), catalogue, types - {""})
    check_fields(query, parts, names, catalogue)


def _operators_in(parts: Parts) -> set[str]:
    """The operators that a statement uses, also where its text names none."""
    found = set[str]()
    for node in parts.get("A_Expr", ()):
        found |= _BETWEEN.get(node["kind"]) or {_operator(node["name"])}
    for node in parts.get("SortBy", ()):
        if node.get("useOp"):
            found.add(_operator(node["useOp"]))
    for node in parts.get("SubLink", ()):
        if "testexpr" in node:  # `IN` names no operator
            found.add(_operator(node["operName"]) if "operName" in node else "=")
    compares = any("arg" in node for node in parts.get("CaseExpr", ()))
    joins = parts.get("JoinExpr", ())
    if compares or any("usingClause" in node or "isNatural" in node for node in joins):
        found.add("=")
    return found


@cache
def _allowed() -> frozenset[str]:
    content = listed("postgres", "tree")
    return frozenset(f"{content['nodes']} {content['fields']}".split()) | _named().keys()


@cache
def _named() -> dict[str, str]:
    """The kinds of node that are calls in other clothes, with the name of the function."""
    return dict(pair.split("=") for pair in listed("postgres", "tree")["calls"].split())


@cache
def _operators() -> frozenset[str]:
    return frozenset(listed("postgres", "tree")["operators"].split())


def _unknown(key: str) -> Refused:
    if key in _WRITES:
        return Refused("write", "it changes what the database holds; only queries that read are run.")
    rule, reason = kinds().refused.get(key, ("statement", "{} isn't part of a query that reads."))
    return Refused(rule, reason.format(key))


def _check_call(call: Node, names: DialectNames) -> str:
    """The name of a function that may be called."""
    *path, name = texts(call["funcname"])
    if path not in ([], [_SYSTEM]):
        raise Refused("function", f"{'.'.join(path)[:40]}.{name[:40]}() may be anyone's function.")
    if not is_harmless(name, _constants(call)):
        check_name(name, names)
    return name


def _constants(call: Node) -> list[str]:
    """The arguments that are plain text; one that isn't makes the list empty."""
    given = [argument.get("A_Const", {}).get("sval", {}).get("sval") for argument in call.get("args", ())]
    return [] if None in given else given


def _operator(path: list[Node]) -> str:
    """The name of an operator that may be used."""
    *schema, name = texts(path)
    if schema not in ([], [_SYSTEM]) or name not in _operators():
        raise Refused("function", f"the operator {name[:20]} may call anyone's function.")
    return name


def _check_table(table: Node, names: DialectNames) -> None:
    name = table["relname"]
    if not names.may_read(table.get("schemaname", ""), name, table.get("catalogname", "")):
        raise Refused("system_table", f"{name[:60]} is the server's own and may hold secrets.")


def _check_sample(sample: Node) -> None:
    if texts(sample["method"]) not in (["system"], ["bernoulli"]):
        raise Refused("function", "TABLESAMPLE takes SYSTEM and BERNOULLI; others are anyone's functions.")


def _check_type(kind: Node, names: DialectNames) -> str:
    """The name of a type that may be anyone's. A row of a refused table has its columns' names."""
    *schema, name = texts(kind.get("names")) or [""]
    of_server = name.startswith("pg_") or (schema and schema != [_SYSTEM])
    if of_server and name not in _server_types() and not names.may_read("".join(schema[-1:]), name):
        raise Refused("system_table", f"{name[:60]} is the server's own and may hold secrets.")
    return "" if schema == [_SYSTEM] else name


@cache
def _server_types() -> frozenset[str]:
    return frozenset(listed("postgres", "tree")["server_types"].split())
