"""The allowed parts of a parsed query: known syntax, listed functions, tables that show no secrets."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from fathom.databases.guard.calls import check_calls, check_name, is_harmless_setting
from fathom.databases.guard.sizes import name_of
from fathom.databases.guard.words import FILE_SIGNS, DialectNames, Refused, allowed_kinds, kinds, names_of

_UNKNOWN = ("statement", "{} isn't part of a query that reads, as far as is known.")
_SOURCES = (exp.Table, exp.Lateral, exp.TableFromRows)
_SPARKS = ("spark", "databricks")
_SPARK_SOURCES = frozenset(
    """
    avro binaryfile com.databricks.spark.csv console csv delta hudi iceberg image jdbc json kafka libsvm noop
    orc parquet rate sequencefile socket statestore text xml cloudfiles excel
    """.split()
)


def check_tree(nodes: Sequence[exp.Expr], tokens: Sequence[Token], dialect: str) -> None:
    """Check every node of a tree and every call against the lists. Raises `Refused`."""
    _check_kinds(nodes, dialect)
    if dialect in ("postgres", "duckdb"):  # whose own parsers say what is called and read
        return
    if dialect == "mysql":
        _check_full_names(nodes[0])
    names = names_of(dialect)
    aliases: set[int] = set()
    for node in nodes:
        if isinstance(node, exp.Parameter):
            _check_position(node)
        elif isinstance(node, _SOURCES) and isinstance(node.this, exp.Func):
            _check_source(node.this, names)
        elif isinstance(node, exp.Table):
            _check_table(node, names, dialect)
        elif isinstance(node, exp.JSONTable) and not node.args.get("schema"):
            raise Refused(
                "function", "JSON_TABLE takes a list of COLUMNS; without one it is anyone's function."
            )
        elif isinstance(node, exp.Identifier) and node.name.casefold() == "_metadata" and dialect in _SPARKS:
            raise Refused("file", "_metadata tells where the files of a table lie.")
        elif isinstance(node, exp.Show):
            _check_shown(node, names)
        elif isinstance(node, exp.TableAlias) and isinstance(node.this, exp.Identifier):
            aliases.add(node.this.meta.get("start", -1))
        elif isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)) and not is_harmless_setting(node):
            check_name(node.name, names)
    check_calls(tokens, names, dialect, aliases)


def _check_full_names(tree: exp.Expr) -> None:
    """Refuse `x.y.id` beside a join of equal names: MariaDB 10.11 crashes where a side is a query in FROM."""
    if any(join.method or join.args.get("using") for join in tree.find_all(exp.Join)):
        for column in tree.find_all(exp.Column):
            if column.db:
                raise Refused(
                    "statement", f"write {column.name[:40]} with its table alone, or the join with ON."
                )


def _check_kinds(nodes: Sequence[exp.Expr], dialect: str) -> None:
    allowed = allowed_kinds(dialect)
    for kind in dict.fromkeys(map(type, nodes)):
        if kind.__name__ not in allowed:
            check_kind(kind, dialect)


def check_kind(kind: type[exp.Expr], dialect: str) -> None:
    """Raises `Refused` for a kind of node that isn't let through in a dialect, with its reason."""
    name = kind.__name__
    if name not in allowed_kinds(dialect):
        rule, reason = kinds().refused.get(name, _UNKNOWN)
        raise Refused(rule, reason.format(name))


def _check_shown(show: exp.Show, names: DialectNames) -> None:
    """SHOW tells about tables of a user's own, not about those of the server."""
    schema, name = show.text("db").casefold(), show.text("target").casefold()
    if schema and not names.may_read(schema, name):
        raise Refused("system_table", f"{schema[:40]}.{name[:40]} is the server's own and may hold secrets.")


def _check_position(position: exp.Parameter) -> None:
    """Snowflake's `$1` of VALUES; of a table it would be whichever column is the first there."""
    select = position.find_ancestor(exp.Select)
    sources = [] if select is None else [j.this for j in select.args.get("joins") or ()]
    sources += [] if select is None or "from_" not in select.args else [select.args["from_"].this]
    values = [s.this if isinstance(s, exp.Subquery) else s for s in sources]
    if not position.name.isdecimal() or not values or not all(isinstance(v, exp.Values) for v in values):
        raise Refused("variable", "$1 is taken of VALUES alone; write the column's name.")


def _check_source(call: exp.Func, names: DialectNames) -> None:
    """A function in FROM may be another one than its namesake elsewhere, such as one that reads any table."""
    name = name_of(call)
    if names.in_from and name not in names.in_from:
        raise Refused("function", f"{name[:60]}() may do something else in FROM; call it after SELECT.")


def _check_table(table: exp.Table, names: DialectNames, dialect: str) -> None:
    schema, name, catalog = table.db.casefold(), table.name.casefold(), table.catalog.casefold()
    if dialect == "bigquery":  # where one pair of backticks may hold the whole path
        *path, name = ".".join(part.name.casefold() for part in table.parts).split(".")
        schema = "information_schema" if "information_schema" in path else path[-1] if path else ""
    if dialect == "snowflake" and not isinstance(table.this, (exp.Identifier, exp.Func)):
        raise Refused("file", "what stands in quotes of text in FROM may be a file; queries read tables.")
    if dialect in _SPARKS and _is_spark_file(table):
        raise Refused("file", f"{table.name[:60]!r} names a file or a source of data; queries read tables.")
    if not names.may_read(schema, name, catalog) or (dialect == "trino" and "$" in name):
        raise Refused("system_table", f"{name[:60]} is the server's own and may hold secrets.")


def _is_spark_file(table: exp.Table) -> bool:
    """True if Spark could take a name for a file: csv.`/etc/passwd`, or a source by its class's name."""
    parts = [part.name.casefold() for part in table.parts]
    odd = len(parts) > 3 or any(sign in part for part in parts for sign in (*FILE_SIGNS, ":", "."))
    return odd or any(part in _SPARK_SOURCES for part in parts[:-1])
