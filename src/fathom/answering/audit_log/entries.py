"""One line of the log: who, what, where, and how much; never a row."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from fathom.databases import Database
from fathom.databases.query_columns import items_of
from fathom.errors import FathomError, InputError
from fathom.records import Answer, Result
from fathom.text import without_passwords


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One question, one query by hand, or one change of the settings, the rights or a pack.

    `time` is in UTC, in ISO 8601. `status` is sure, unsure, unknown, done, estimated, changed, or the name of
    an error. A change is told by `question`, and its lines stand in `evidence`. `tables` maps the tables that
    the query reads to their columns, none where it names none. `rows` is None where nothing was run;
    `cost_usd` is None where a price is unknown. `rights` is the digest of what the user may see, "" for all.
    `client` is the program that asked, as it names itself; `model` the one that was called; `answer_id` the
    stored answer's. `bytes_read` are those that the engine says this SQL read, or would read. Lines of older
    versions lack some of the fields.
    """

    time: str
    user: str
    interface: str
    database: str
    question: str = ""
    evidence: str = ""
    status: str = ""
    sql: str = ""
    tables: Mapping[str, list[str]] = field(default_factory=dict)
    rows: int | None = None
    truncated: bool = False
    seconds: float = 0.0
    method: str = ""
    model_calls: int = 0
    tokens: int = 0
    cost_usd: str | None = None
    rights: str = ""
    client: str = ""
    model: str = ""
    answer_id: str = ""
    bytes_read: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The entry as JSON values, in the order of its fields."""
        return asdict(self)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "LogEntry":
        """The entry of a line, without what the chain adds. Raises `InputError` for something else."""
        try:
            return cls(
                **{f.name: content[f.name] for f in fields(cls) if f.name in content or f.name not in _LATER}
            )
        except KeyError as missing:
            raise InputError(f"is no line of an audit log: it has no {missing}") from None


_LATER = frozenset(("rights", "client", "model", "answer_id", "bytes_read"))
"""Fields that lines of older versions lack."""


@dataclass(frozen=True, slots=True)
class WhoAsks:
    """Who asks, through which interface and program, and the id under which the answer will be kept."""

    user: str
    interface: str
    client: str = ""
    answer_id: str = ""

    def change(self, what: str, lines: str, status: str) -> LogEntry:
        """An entry of now, of a change that is made."""
        return LogEntry(
            time=_now(), user=self.user, interface=self.interface, client=self.client,
            database="", question=what, evidence=lines, status=status,
        )  # fmt: skip


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Occasion:
    """Who asks which database, and the model that may be called."""

    asker: WhoAsks
    database: Database
    model: str = ""

    def entry(self, seconds: float, **more: Any) -> LogEntry:
        """An entry of now."""
        return LogEntry(
            time=_now(),
            user=self.asker.user,
            interface=self.asker.interface,
            client=self.asker.client,
            answer_id=self.asker.answer_id,
            database=without_passwords(self.database.known_as or self.database.url),
            seconds=round(seconds, 3),
            rights=self.database.granted.digest if self.database.granted is not None else "",
            **more,
        )

    def of_answer(self, given: Answer, seconds: float) -> LogEntry:
        """The entry of an answer, however it ended. What readings of an unsure one show counts as given."""
        used = given.trace.usage
        alone = [(given.sql, given.result)] if given.sql and given.result else []
        ran = [(r.sql, r.result) for r in given.readings] or alone
        results = [result for _, result in ran if result is not None]
        queries = [sql for sql, _ in ran]
        return self.entry(
            seconds,
            question=given.question.text,
            evidence=given.question.evidence,
            status=given.ending.value,
            sql=";\n".join(queries),
            tables=_read(queries, self.database),
            rows=sum(len(r.rows) for r in results) if results else None,
            truncated=any(r.truncated for r in results),
            method=given.method,
            model_calls=used.calls,
            tokens=used.prompt_tokens + used.completion_tokens,
            cost_usd=None if used.cost_usd is None else str(used.cost_usd),
            model=self.model if used.calls else "",
            bytes_read=_read_by(results),
        )

    def of_query(self, sql: str, outcome: Result | int | Exception | None, seconds: float) -> LogEntry:
        """The entry of a query by hand, with its result or the error that it ended in.

        Anything else is the size of a query that was only estimated.
        """
        told = {"sql": sql, "tables": _read([sql], self.database), "cost_usd": "0"}
        if isinstance(outcome, Exception):
            return self.entry(seconds, status=type(outcome).__name__, **told)
        if not isinstance(outcome, Result):
            return self.entry(seconds, status="estimated", bytes_read=outcome, **told)
        found = {"rows": len(outcome.rows), "truncated": outcome.truncated is not None}
        return self.entry(seconds, status="done", bytes_read=outcome.bytes_read, **found, **told)

    def of_export(self, sql: str, rows: int, seconds: float) -> LogEntry:
        """The entry of a query whose rows were all written to a file."""
        told = {"sql": sql, "tables": _read([sql], self.database), "cost_usd": "0"}
        return self.entry(seconds, status="exported", rows=rows, truncated=False, **told)

    def of_failure(self, question: str, error: BaseException, seconds: float) -> LogEntry:
        """The entry of a question that ended in an error: a model out of reach, a cancelled one."""
        return self.entry(seconds, question=question, status=type(error).__name__, model=self.model)


def _read_by(results: list[Result]) -> int | None:
    """The bytes that queries read; None where the engine doesn't tell."""
    told = [r.bytes_read for r in results if r.bytes_read is not None]
    return sum(told) if told else None


def _read(queries: list[str], database: Database) -> dict[str, list[str]]:
    """The tables and columns that queries read; none of one that can't be parsed, whose text is kept."""
    found: dict[str, set[str]] = {}
    for sql in queries:
        try:
            items = items_of(sql, database.schema).as_json()
        except FathomError:
            continue
        for table, columns in items.items():
            found.setdefault(table, set()).update(columns)
    return {table: sorted(columns) for table, columns in sorted(found.items())}
