"""Rights of the database's account beside reading, as its server reports them.

A query runs as this account, so the guard is the only wall before whatever it may do: read the server's
files, run its programs, reach other servers.
"""

import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from fathom.errors import AccountRefused, AccountWarning


@dataclass(frozen=True, slots=True)
class AccountRisk:
    """One thing that an account may do beside reading.

    `kind` is one of superuser, files, programs, sessions, replication, extension, writes (where no session
    can be kept to reading); `what` is for people, and goes on from "it ...". Two more stand for rights that
    aren't known, and `what` says which: "unread", where asking failed, and "untold", where the engine has no
    way to ask.
    """

    kind: str
    what: str

    @property
    def is_known(self) -> bool:
        """True if the account was seen to have the right; False if the server couldn't be asked about it."""
        return self.kind not in {"unread", "untold"}


# The risks of PostgreSQL's own roles, by role.
POSTGRES_ROLES = {
    "pg_read_server_files": AccountRisk("files", "may read the server's files (pg_read_server_files)"),
    "pg_write_server_files": AccountRisk("files", "may write the server's files (pg_write_server_files)"),
    "pg_execute_server_program": AccountRisk(
        "programs", "may run programs on the server (pg_execute_server_program)"
    ),
    "pg_signal_backend": AccountRisk("sessions", "may end other sessions (pg_signal_backend)"),
}
_OTHER_SERVERS = (
    "dblink postgres_fdw mysql_fdw oracle_fdw tds_fdw odbc_fdw jdbc_fdw mongo_fdw http pg_net aws_s3"
)
_FILES = "file_fdw adminpack plpython3u plpythonu plpython2u plperlu pltclu plsh pllua plr xml2"
# The risks of PostgreSQL's extensions, by extension: their functions do these things.
POSTGRES_EXTENSIONS = {
    **dict.fromkeys(_OTHER_SERVERS.split(), "reaches other servers"),
    **dict.fromkeys(_FILES.split(), "reaches files or programs"),
}
# The risks of global privileges on MySQL and MariaDB, which write some of them otherwise.
MYSQL_PRIVILEGES = {
    "SUPER": AccountRisk("superuser", "is a superuser (SUPER)"),
    "FILE": AccountRisk("files", "may read and write the server's files (FILE)"),
    "SHUTDOWN": AccountRisk("programs", "may stop the server (SHUTDOWN)"),
    "CREATE USER": AccountRisk("superuser", "may make accounts (CREATE USER)"),
    "CONNECTION ADMIN": AccountRisk("sessions", "may end other sessions (CONNECTION ADMIN)"),
    "CONNECTION_ADMIN": AccountRisk("sessions", "may end other sessions (CONNECTION_ADMIN)"),
}

_HOW = {
    "postgres": "CREATE ROLE reader LOGIN PASSWORD '...'; GRANT USAGE ON SCHEMA public TO reader; "
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;",
    "bigquery": "grant it bigquery.dataViewer on the dataset and bigquery.jobUser on the project.",
    "snowflake": "CREATE ROLE reader; GRANT USAGE ON DATABASE {database} TO ROLE reader; GRANT USAGE ON ALL "
    "SCHEMAS IN DATABASE {database} TO ROLE reader; GRANT SELECT ON ALL TABLES IN DATABASE {database} "
    "TO ROLE reader; and name it in the URL (?role=reader).",
    "trino": "allow one user nothing but SELECT by the server's access control (in a catalog that keeps "
    "rights: CREATE ROLE reader; GRANT SELECT ON {database} TO ROLE reader).",
    "spark": "let its account read the server's catalog and files, and not write them. Spark can't be asked "
    "whether that is so: it never passes strict = true.",
    "databricks": "GRANT USE CATALOG, USE SCHEMA and SELECT on what is asked, and nothing more, to the owner "
    "of the token. Databricks isn't asked whether that is so: it never passes strict = true.",
    "mysql": "CREATE USER reader IDENTIFIED BY '...'; GRANT SELECT, SHOW VIEW ON {database}.* TO reader;",
}
_WITHOUT = " Take extensions out (DROP EXTENSION), or their functions from everybody (REVOKE EXECUTE)."


def described(account: str, risks: Iterable[AccountRisk]) -> str:
    """The risks of an account in a sentence, and in another one the rights that couldn't be read."""
    risks, who = list(risks), f"The account {account!r}" if account else "The account"
    known = "; ".join(r.what for r in risks if r.is_known)
    unknown = "; ".join(r.what for r in risks if not r.is_known)
    sentences = [f"{who} can do more than read: it {known}."] if known else []
    if unknown:
        sentences.append(f"{who} may be able to do more than read: {unknown}.")
    return " ".join(sentences)


def remedy(dialect: str, database: str, risks: Iterable[AccountRisk]) -> str:
    """How to make an account that only reads."""
    how = _HOW.get(dialect, "as the manual of the server says.").format(database=database)
    extensions = _WITHOUT if any(r.kind == "extension" for r in risks) else ""
    return f"Make an account that only reads: {how}{extensions}"


def check(
    account: str, risks: Collection[AccountRisk], *, name: str, url: str, dialect: str, strict: bool
) -> None:
    """Warn (`AccountWarning`) of an account that may do more than read; if `strict`, refuse it.

    Raises `AccountRefused`, which says how to make one that only reads.
    """
    if not strict:  # an engine that never tells would be warned of at every start
        risks = [risk for risk in risks if risk.kind != "untold"]
    if not risks:
        return
    text = described(account, risks)
    if strict:
        raise AccountRefused(f"{text} {remedy(dialect, name, risks)}", [risk.what for risk in risks])
    warnings.warn(f"{url}: {text} See docs/security.md.", AccountWarning, stacklevel=3)
