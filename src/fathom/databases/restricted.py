"""A database as one user may see it: what is hidden is nowhere in it, and no query reaches it."""

import secrets
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from threading import RLock

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.cancellation import Cancellation
from fathom.databases import guard
from fathom.databases.accounts import AccountRisk
from fathom.databases.database import NO_LIMITS, Database
from fathom.databases.engine import Engine, Reflection, counted
from fathom.databases.grant_problems import as_role, problems_of
from fathom.databases.query_columns import qualified
from fathom.databases.schema_parts import keys_among, with_columns
from fathom.databases.sizes import hiding_sizes
from fathom.databases.statements import check_text
from fathom.databases.stream import Stream
from fathom.databases.views import tables_of_views
from fathom.errors import ErrorClass, QueryError, QueryFailed, QueryRefused, RightsError, did_you_mean
from fathom.records import Limits, Schema, Table
from fathom.rights.grants import Granted, Seen
from fathom.rights.rewriting import Rewriter, SeenTable
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular

_KEPT_QUERIES = 1_000
_WHY_FAILED = {
    ErrorClass.NO_SUCH_NAME: "it names a table or column that isn't there",
    ErrorClass.NO_SUCH_FUNCTION: "it calls a function that isn't there, or with other values than it takes",
    ErrorClass.SYNTAX: "the engine can't read it",
}
_WORKED_OUT = (
    *("_schema", "_fingerprint", "_reflection", "account_risks"),
    *("_rewriter", "_visible", "_hidden", "_default_schema"),
)
_MAIN = frozenset(("sqlite", "duckdb"))


class Restricted(Database):
    """A database with the grants of one user; it shares the connections of the whole one.

    Every query, also of Fathom's own, is written anew over what is seen before it is sent. A query from
    outside is judged first: each table and column that it names must be one that is seen, and its refusal is
    the same for what is hidden and for what isn't there.
    """

    def __init__(self, whole: Database, granted: Granted) -> None:
        self._restrict(whole, granted)

    def _restrict(self, whole: Database, granted: Granted) -> None:
        self.__dict__.update(whole.__dict__)
        self._whole, self.granted, self._rights = whole, granted, granted
        self.kept, self._checked, self._profiles, self._working = {}, set(), None, RLock()
        self._rewritten: dict[str, str] = {}
        self._own: dict[str, str] = {}
        for known in _WORKED_OUT:
            self.__dict__.pop(known, None)
        if problems_of(whole, granted):
            raise RightsError(
                f"The rights of {granted.user!r} don't fit the database {whole.name!r}, so nothing is shown "
                f"of it. Whoever keeps them is told why by: fathom rights FILE --database {whole.name}"
            )
        self._role = granted.role
        if not self._visible:
            raise RightsError(f"The user {granted.user!r} may see no table of the database {whole.name!r}.")

    def refresh(self, *, anew: bool = False) -> bool:
        """As of the whole database. Raises `RightsError` where the grants don't fit it any more."""
        self._whole.refresh(anew=anew)
        with self._working:
            if self.renewals == self._whole.renewals:
                return False
            self._restrict(self._whole, self._rights)
            return True

    def restricted(self, granted: Granted) -> Database:
        """The whole database as these grants show it, not a part of this part."""
        return self._whole.restricted(granted)

    @cached_property
    def account_risks(self) -> tuple[AccountRisk, ...]:
        """The account's rights on its server beside reading."""
        return self._whole.account_risks

    @property
    def file(self) -> None:
        """None: a file opened by its path would show all of it."""

    @property
    def remarks(self) -> Mapping[str, tuple[str, ...]]:
        """Those on the tables that are seen."""
        return {
            t.name: self._engine.remarks[t.name]
            for t in self._reflection.tables
            if t.name in self._engine.remarks
        }

    @property
    def filtered_tables(self) -> tuple[str, ...]:
        """The tables of which the user may see some rows only."""
        return tuple(s.name for s in self._rewriter.sources if s.rows)

    def hides(self, text: str) -> bool:
        """True if a text says the name of something that the user may not see, also as people say it."""
        said = f" {_words(text)} "
        return any(f" {name} " in said for name in self._hidden)

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The names of hidden tables and columns, in words, singular and plural, that nothing seen has."""
        names = {t.name.rpartition(".")[2] for t in self._whole.reflection.tables}
        names |= {c.name for t in self._whole.reflection.tables for c in t.columns}
        shown = {t.name.rpartition(".")[2].casefold() for t in self._schema.tables}
        shown |= {c.name.casefold() for t in self._schema.tables for c in t.columns}
        said = {w for n in names if n.casefold() not in shown for w in (_words(n), _words(spoken(n)))}
        open_ = {w for n in shown for w in (_words(n), _words(spoken(n)))}
        forms = {form for w in said for form in (w, singular(w), plural(w))}
        return frozenset(forms - open_ - {""})

    def check(self, sql: str) -> None:
        """Check that a statement may run: it names only visible things. Raises `QueryRefused`."""
        if sql in self._rewritten:
            return
        check_text(sql)
        try:
            sent = self._judged(sql)
        except QueryRefused as refused:
            raise QueryRefused(
                refused.rule, refused.reason, sql=sql, error_class=refused.error_class
            ) from None
        except (SqlglotError, RecursionError, ValueError):
            raise QueryRefused("rights", "it can't be told what it reads.", sql=sql) from None
        if len(self._rewritten) >= _KEPT_QUERIES:
            self._rewritten.clear()
        self._rewritten[sql] = sent

    def _judged(self, sql: str) -> str:
        """The query as it is sent, if what it names is seen."""
        tree = guard.check(sql, self.dialect, _SeenCatalogue(self._schema, self._rewriter))
        sent = self._rewriter.rewritten(tree.copy())
        self._check_columns(tree)
        self._whole.check(sent)
        return sent

    def _check_columns(self, tree: exp.Expr) -> None:
        try:
            qualified(tree.copy(), self._schema, strictly=True)
        except (SqlglotError, RecursionError) as error:
            raise self._unknown_column(tree) from error

    def _unknown_column(self, tree: exp.Expr) -> QueryRefused:
        """The refusal of a column, from the names that are seen alone."""
        known = {c.name.casefold(): c.name for t in self._schema.tables for c in t.columns}
        own = {a.alias.casefold() for a in tree.find_all(exp.Alias, exp.TableAlias)}
        own |= {i.name.casefold() for a in tree.find_all(exp.TableAlias) for i in a.columns}
        own |= {t.name.casefold() for t in self._schema.tables}
        strange = (c.name for c in tree.find_all(exp.Column) if c.name.casefold() not in (known.keys() | own))
        if name := next(strange, ""):
            near = did_you_mean(name, sorted(set(known.values())))
            return QueryRefused(
                "name", f"there is no column {name[:60]!r}.{near}", error_class=ErrorClass.NO_SUCH_NAME
            )
        return QueryRefused(
            "name",
            "it can't be told whose columns it names, or it names one of a table that doesn't have it: write "
            "each column with its table's name.",
            error_class=ErrorClass.NO_SUCH_NAME,
        )

    def stream(
        self,
        sql: str,
        limits: Limits = Limits(),  # noqa: B008
        cancellation: Cancellation | None = None,
        *,
        trusted: bool = False,
    ) -> Stream:
        """As of the whole database, within the limits that are granted; no size tells of hidden rows."""
        if not trusted and self.tells_size:
            self.check(sql)  # before its tables are looked at
        with hiding_sizes() if self.tells_size and self._hides_size(sql) else nullcontext():
            if not trusted:
                return super().stream(sql, self._rights.within(limits), cancellation)
            self._sessions.prepare()
            self._whole.check(self._sent(sql))
            self._mind_size(sql, cancellation)
            return self._start(sql, limits, cancellation)

    def estimate(self, sql: str) -> int | None:
        """As of the whole database; None where rows are hidden, for their size would tell of them."""
        self.check(sql)
        return None if not self.tells_size or self._hides_size(sql) else super().estimate(sql)

    def _size(self, sql: str) -> int | None:
        try:
            return self._engine.estimate(self._sent(sql), self._whole._read)
        except QueryError as error:  # whose words and SQL are those of the query as it was sent
            if isinstance(error, QueryFailed):
                raise self._without_words(error, sql) from None
            error.sql = sql
            raise
        except self._engine.errors as error:
            raise self._told(self._engine, error, sql, NO_LIMITS) from error

    def _hides_size(self, sql: str) -> bool:
        """True if the size of a query would tell of hidden rows."""
        return bool(self._role) or self._reads_filtered(sql)

    def _reads_filtered(self, sql: str) -> bool:
        """True if the query reads a table of which some rows are hidden, also within a view."""
        if not self.filtered_tables:
            return False
        tree = parse_one(sql, dialect=self.dialect)
        found = [self._rewriter.find(t) for t in tree.find_all(exp.Table)]
        filtered, views = set(self.filtered_tables), {t.name for t in self._schema.tables if t.is_view}
        return any(f is not None and f.name in filtered | views for f in found)

    def _sent(self, sql: str) -> str:
        known = self._rewritten.get(sql)
        if known is not None:
            return known
        if sql in self._own:
            return self._own[sql]
        try:
            made = self._rewriter.own(sql)
        except (SqlglotError, RecursionError) as error:
            raise QueryRefused("rights", "it can't be told what it reads.", sql=sql) from error
        if len(self._own) >= _KEPT_QUERIES:
            self._own.clear()
        self._own[sql] = made
        return made

    def _told(self, engine: Engine, error: Exception, sql: str, limits: Limits) -> QueryError:
        """The engine's words, unless they may quote what was put into the query, or what is filtered."""
        told = engine.translate(error, sql, limits)
        if isinstance(told, QueryFailed) and (self.filtered_tables or told.error_class is ErrorClass.SYNTAX):
            return self._without_words(told, sql)
        return told

    def _without_words(self, told: QueryError, sql: str) -> QueryError:
        """The failure of a query without the engine's words."""
        why = _WHY_FAILED.get(told.error_class, "the engine can't run it, or a value doesn't fit its use")
        return QueryFailed(
            f"The query failed: {why}. The engine's own words aren't shown with the rights there are.",
            sql=sql,
            error_class=told.error_class,
        )

    @cached_property
    def _visible(self) -> Mapping[str, Seen]:
        """The visible part of each table, by the table's name."""
        whole, granted = self._whole.reflection, self._rights
        base = {
            t.name: seen
            for t in whole.tables
            if not t.is_view and (seen := granted.seen(t.name, [c.name for c in t.columns]))
        }
        open_ = {t.name for t in whole.tables if t.name in base and _all_of(t, base[t.name])}
        reads = tables_of_views(whole.tables, self.dialect, self._default_schema, self._whole._read)
        for _ in reads:  # a view of a view is told once the other one is
            open_ |= {view for view, tables in reads.items() if tables is not None and tables <= open_}
        views = {
            t.name: seen
            for t in whole.tables
            if t.is_view and (granted.names(t.name) or t.name in open_)
            if (seen := granted.seen(t.name, [c.name for c in t.columns]))
        }
        return {t.name: {**base, **views}[t.name] for t in whole.tables if t.name in base or t.name in views}

    @cached_property
    def _default_schema(self) -> str:
        return "main" if self.dialect in _MAIN else getattr(self._engine, "default_schema", None) or ""

    @cached_property
    def _rewriter(self) -> Rewriter:
        whole = self._whole.reflection
        sources = []
        for table in whole.tables:
            if (seen := self._visible.get(table.name)) is not None:
                columns = tuple(map(self._engine.quote, seen.columns))
                identifier = whole.identifiers[table.name]
                sources.append(
                    SeenTable(table.name, identifier, columns, seen.rows, whole=_all_of(table, seen))
                )
        hidden = [t.name for t in whole.tables if t.name not in self._visible]
        mark = f"m{secrets.token_hex(8)}"
        return Rewriter(sources, self.dialect, self._default_schema, mark, hidden)

    @cached_property
    def _reflection(self) -> Reflection:
        whole = self._whole.reflection
        tables = tuple(self._table(t, seen) for t in whole.tables if (seen := self._visible.get(t.name)))
        keys = keys_among(whole.foreign_keys, tables)
        return Reflection(tables, keys, {t.name: whole.identifiers[t.name] for t in tables})

    def _table(self, table: Table, seen: Seen) -> Table:
        shown = with_columns(table, seen.columns)
        if not (seen.rows or self._role):  # a role may have row policies
            return shown
        identifier = self._whole.reflection.identifiers[table.name]
        rows = counted(self._read, f"SELECT count(*) FROM {identifier}")
        return replace(shown, row_count=rows, rows_estimated=False)

    def common_texts(self, table: Table) -> Mapping[str, Mapping[str, float]]:
        """Of the columns that are seen; {} where some rows may not be, for statistics are made of all."""
        if self._role or table.name in self.filtered_tables:  # a role may see less than statistics tell
            return {}
        shown, seen = self._whole.common_texts(table), {c.name for c in table.columns}
        return {column: texts for column, texts in shown.items() if column in seen}

    def sample(self, table: Table, count: int, limits: Limits) -> Stream:
        """Rows of a sample of the whole table, those of them that are seen."""
        whole = next(t for t in self._whole.reflection.tables if t.name == table.name)
        seen = next(s for s in self._rewriter.sources if s.name == table.name)
        source = self._engine.sample(seen.identifier, whole, count)
        columns = ", ".join(self._engine.quote(c.name) for c in table.columns)
        where = f" WHERE {seen.rows}" if seen.rows else ""
        most = f" LIMIT {count + 1}" if source == seen.identifier else ""
        sql = f"SELECT {columns} FROM {source} AS sampled{where}{most}"
        return as_role(self._whole, self._role)._start(sql, limits)


def _all_of(table: Table, seen: Seen) -> bool:
    return not seen.rows and len(seen.columns) == len(table.columns)


def _words(text: str) -> str:
    """The words of a text in small letters, with one space between them."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


class _SeenCatalogue:
    """A `fathom.databases.guard.Catalogue` of what is seen: what is hidden is as if it weren't there."""

    def __init__(self, schema: Schema, rewriter: Rewriter) -> None:
        self._schema, self._rewriter = schema, rewriter

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """The columns that are seen of a table; None where none is."""
        db = exp.to_identifier(schema, quoted=True) if schema else None
        named = exp.table_(exp.to_identifier(table, quoted=True), db=db)
        found = self._rewriter.find(named)
        return tuple(c.name for c in self._schema.table(found.name).columns) if found else None

    def is_callable(self, name: str) -> bool:
        """True if a function may have the name: any may, and is then held against the guard's list."""
        return True

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        """Nothing: the query that is sent is checked against the server's own catalogue."""
        return frozenset()
