"""Spark by Spark Connect: each session its own on the server, rows as Arrow batches, interrupts by session.

Spark has no sessions that only read. What stands behind the guard is the server's own: files can't be
queried by their path here, and texts aren't filled with the server's settings and environment.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import Read, Reflection, Row, Session
from fathom.databases.remote import Remote, hidden
from fathom.databases.spark_conditions import class_of, without_plan
from fathom.databases.spark_local import LocalServer, load_folder, local_server, state_of
from fathom.databases.spark_reflection import reflect
from fathom.databases.spark_sql import backquoted, share_of_rows
from fathom.databases.spark_values import column_reader
from fathom.errors import ConnectionFailed, ErrorClass, did_you_mean
from fathom.records import Limits, Table

try:
    import grpc
    import pyarrow as pa
except ModuleNotFoundError as error:  # pyspark without the rest of the extra
    raise ModuleNotFoundError(str(error), name="pyspark") from error

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, through which no value here goes
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

# It prints each failed query, with its text, on the standard error.
logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)

DEFAULT_PORT = 15002
_CONNECT_SECONDS = 10
_RETRIES = {"max_retries": 3, "max_backoff": 2_000}
_SETTINGS = {
    "spark.sql.runSQLOnFiles": "false",  # csv.`/etc/passwd`
    "spark.sql.variable.substitute": "false",  # '${env:PASSWORD}', also inside quotes
    # As the guard splits texts.
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
}
_PARAMETERS = {"token": "token", "ssl": "use_ssl", "user_id": "user_id"}
_LOST_CONDITIONS = ("INVALID_HANDLE",)


class _Channels(DefaultChannelBuilder):  # type: ignore[misc]
    """Makes the client's channel, and keeps it so that another thread can cut it."""

    channel: Any = None

    def toChannel(self) -> Any:  # noqa: N802
        self.channel = super().toChannel()
        return self.channel


class SparkSQLSession(Session):
    """One session on the server, over a connection of its own."""

    def __init__(self, spark: Any, channel: Any) -> None:
        self.spark, self._channel = spark, channel
        self._limits = Limits()
        self._batches: Iterator[Any] = iter(())
        self._rows: Iterator[Row] = iter(())

    def begin(self, limits: Limits) -> None:
        self._limits = limits
        self.spark.conf.get("spark.sql.session.timeZone")  # fails where the server has forgotten the session

    def execute(self, sql: str) -> tuple[str, ...] | None:
        frame = self.spark.sql(sql)
        # The server works out whole parts of a result before it gives the first row of them.
        wanted = [n for n in (self._limits.rows, self._limits.bytes) if n is not None]
        if wanted:
            frame = frame.limit(min(wanted) + 1)
        client = self.spark.client
        self._batches = client.to_table_as_iterator(frame._plan.to_proto(client), frame._plan.observations)
        schema = next(self._batches)
        self._rows = self._read([column_reader(field.dataType) for field in schema.fields])
        return tuple(schema.names)

    def _read(self, readers: list[Callable[[Any], list[Any]]]) -> Iterator[Row]:
        for table in self._batches:
            for at in range(0, table.num_rows, 256):
                piece = table.slice(at, 256)
                columns = [read(piece.column(i)) for i, read in enumerate(readers)]
                yield from zip(*columns, strict=True)

    def fetch(self, count: int) -> list[Row]:
        found = []
        for row in self._rows:
            found.append(row)
            if len(found) == count:
                break
        return found

    def finish(self, *, complete: bool) -> bool:
        if not complete:
            self.interrupt()
        self._rows, batches, self._batches = iter(()), self._batches, iter(())
        if hasattr(batches, "close"):
            batches.close()
        return True

    def close(self) -> None:
        with suppress(*Spark.errors):
            self.spark.client.release_session()
        self._channel.close()
        with suppress(*Spark.errors):
            self.spark.client.close()

    def interrupt(self) -> None:
        with suppress(*Spark.errors):
            self.spark.interruptAll()

    def abandon(self) -> None:
        self._channel.close()


class Spark(Remote):
    """A database of a Spark server, `spark://host:15002/database`, or a folder here, `spark:////folder`."""

    dialect = "spark"
    latency = 5.0
    gaps = {  # noqa: RUF012
        "keys": "Spark's own tables declare no keys; joins are inferred",
        "not_null": "Spark's own tables keep no NOT NULL",
        "odd_table_names": "Spark's own catalogue takes letters, digits and _ in names of tables",
    }
    rows_at_once = 256
    probing_seconds = (30.0, 5.0)
    # A channel that `abandon` closed is told by ValueError.
    errors = (PySparkException, grpc.RpcError, grpc.FutureTimeoutError, pa.ArrowException, ValueError)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._is_folder = self.address.host is None
        self._loading, self._loaded = Lock(), ""
        if self._is_folder and not self._folder.is_dir():
            raise ConnectionFailed(
                f"There is no folder {self._folder}. A folder of Parquet, CSV or JSON files is "
                "spark:////folder, a server spark://host:15002/database."
            )

    @property
    def _folder(self) -> Path:
        return Path(self.address.database or "").expanduser().absolute()

    @property
    def database_name(self) -> str:
        return self._folder.name if self._is_folder else self.address.database or ""

    def account(self) -> str:
        return str(self.address.query.get("user_id") or self.address.username or "")

    def state(self) -> str:
        return state_of(self._folder) if self._is_folder else ""

    @cached_property
    def _server(self) -> LocalServer:
        return local_server()

    def _connect_url(self) -> str:
        if self._is_folder:
            return self._server.url
        given: dict[str, Any] = {"user_id": self.address.username, "token": self.address.password}
        asked = self.address.query
        given |= {name: asked[field] for field, name in _PARAMETERS.items() if field in asked}
        fields = "".join(f";{name}={value}" for name, value in given.items() if value)
        return f"sc://{self.address.host}:{self.address.port or DEFAULT_PORT}/{fields}"

    def open(self) -> SparkSQLSession:
        channels = _Channels(self._connect_url())
        try:
            # The client itself would try for ten minutes.
            with closing(channels.toChannel()) as probe:
                grpc.channel_ready_future(probe).result(timeout=_CONNECT_SECONDS)
            spark = SparkSession(channels)
            session = SparkSQLSession(spark, channels.channel)
        except self.errors as error:
            raise ConnectionFailed(f"{hidden(self.address)}: {self._why(error)}") from None
        try:
            self._prepare(session)
        except self.errors as error:
            session.close()
            raise ConnectionFailed(f"{hidden(self.address)}: {self._why(error)}") from None
        return session

    def _prepare(self, session: SparkSQLSession) -> None:
        spark = session.spark
        spark.client.set_retry_policies([DefaultPolicy(**_RETRIES)])
        for name, value in _SETTINGS.items():
            if spark.conf.get(name) != value:  # Spark warns of some of them when they are set
                spark.conf.set(name, value)
        database = self._database(spark)
        if database and not spark.catalog.databaseExists(database):
            known = [d.name for d in spark.catalog.listDatabases()]
            session.close()
            raise ConnectionFailed(
                f"{hidden(self.address)}: there is no database {database!r}.{did_you_mean(database, known)}"
            )
        if database:
            spark.catalog.setCurrentDatabase(database)

    def _database(self, spark: Any) -> str:
        if not self._is_folder:
            return self.address.database or ""
        with self._loading:
            self._loaded = self._loaded or load_folder(spark, self._folder)
            return self._loaded

    def _why(self, error: Exception) -> str:
        if isinstance(error, grpc.FutureTimeoutError):
            return (
                f"no Spark Connect server answered within {_CONNECT_SECONDS} seconds. Its port is usually "
                f"{DEFAULT_PORT}; the port 7077 of a cluster's master is another thing."
            )
        return self.message(error)

    def reflect(self, read: Read) -> Reflection:
        with closing(self.open()) as session:
            return reflect(session.spark, read, self.quote)

    def quote(self, name: str) -> str:
        return backquoted(name)

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """None of a folder, which this process reads by itself; of a server nothing can be told."""
        if self._is_folder:
            return ()
        return (AccountRisk("untold", "Spark has no way to tell what an account may do"),)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        return share_of_rows(identifier, table, count)

    def is_lost(self, error: Exception) -> bool:
        if isinstance(error, PySparkException):
            if _condition(error).startswith(_LOST_CONDITIONS):
                return True
            status = getattr(error, "getGrpcStatusCode", lambda: None)()
            return bool(status == grpc.StatusCode.UNAVAILABLE)
        return isinstance(error, (grpc.RpcError, ValueError))

    def classify(self, error: Exception) -> ErrorClass | None:
        if not isinstance(error, PySparkException):
            return ErrorClass.OTHER
        return class_of(_condition(error))

    def words(self, error: Exception) -> str:
        return without_plan(
            str(error.getMessage() or error) if isinstance(error, PySparkException) else str(error)
        )


def _condition(error: Any) -> str:
    return str(error.getCondition() or "")
