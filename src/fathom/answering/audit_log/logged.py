"""Writing the log as questions are answered, whatever asks: command line, browser, MCP, notebook, Python."""

import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

from fathom.answering.audit_log.entries import Occasion, WhoAsks
from fathom.answering.audit_log.log import AuditLog
from fathom.config import account_name, read_settings
from fathom.context_values import holding
from fathom.databases import Database
from fathom.databases.stream import Stream
from fathom.errors import FathomError, RightsError
from fathom.records import Answer, Limits, Result

_asker: ContextVar[WhoAsks | None] = ContextVar("asker", default=None)
_under_way: ContextVar[bool] = ContextVar("under_way", default=False)
"""True while a question is answered: what is asked on its behalf is no entry of its own."""
_CLIENT_LETTERS = 200


def logging_as(
    interface: str, user: str = "", *, client: str = "", answer_id: str = ""
) -> AbstractContextManager[None]:
    """Log each question inside as one of this user's, asked through this interface by a client.

    Without a user it is the account that runs the program. `answer_id` is the id that the answer is kept by.
    """
    asker = WhoAsks(user or account_name(), interface, client[:_CLIENT_LETTERS], answer_id)
    return holding(_asker, asker)


def audit_log_of() -> AuditLog | None:
    """The log that the settings name; None where they name none."""
    path = read_settings().audit_log
    return AuditLog(path) if path is not None else None


def on_behalf() -> AbstractContextManager[None]:
    """Log no entry for the questions inside: they belong to something else that a person does."""
    return holding(_under_way, True)


async def logged_answer(
    work: Coroutine[Any, Any, Answer], question: str, database: Database, model: str = ""
) -> Answer:
    """Wait for an answer and log it, where a log is kept; an error, or that it was stopped, is logged too.

    `model` is the name of the language model that may be called for it.
    Raises `ConfigError` where the log can't be written: then there is no answer either.
    """
    log = None if _under_way.get() else audit_log_of()
    if log is None:
        return await work
    occasion = _occasion(database, model)
    started = time.monotonic()
    try:
        with on_behalf():
            given = await work
    except BaseException as error:  # also a cancelled task: part of the data may have been read for it
        log.append(occasion.of_failure(question, error, time.monotonic() - started))
        raise
    log.append(occasion.of_answer(given, time.monotonic() - started))
    return given


def _occasion(database: Database, model: str = "") -> Occasion:
    asker = _asker.get() or WhoAsks(account_name(), "notebook" if _in_notebook() else "python")
    granted = database.granted
    if granted is not None and granted.user != asker.user:
        asker = replace(asker, user=f"{asker.user} as {granted.user}")
    return Occasion(asker, database, model)


def _in_notebook() -> bool:
    """True in a cell: Jupyter, VS Code and Colab run one in a kernel, marimo in a process that says so."""
    ipython, marimo = sys.modules.get("IPython"), sys.modules.get("marimo")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None or (marimo is not None and marimo.running_in_notebook())


def logged_run(database: Database, sql: str, limits: Limits) -> Result:
    """Run a query that a person wrote, and log it, where a log is kept.

    Raises what `Database.run` raises, and `RightsError` where the person may only ask questions.
    """
    return _logged(database, sql, lambda: database.run(sql, limits))


def logged_estimate(database: Database, sql: str) -> int | None:
    """Estimate a query that a person wrote (`Database.estimate`), and log it likewise."""
    return _logged(database, sql, lambda: database.estimate(sql))


def logged_export(database: Database, sql: str, limits: Limits, write: Callable[[Stream], int]) -> int:
    """Write all rows of an answer's query somewhere, and log that, where a log is kept; how many there are.

    `write` is given the running query, and counts what it writes. Raises what it and `Database.stream` raise.
    """
    log, started = audit_log_of(), time.monotonic()
    try:
        with database.stream(sql, limits) as rows:
            count = write(rows)
    except FathomError as error:
        if log is not None:
            log.append(_occasion(database).of_query(sql, error, time.monotonic() - started))
        raise
    if log is not None:
        log.append(_occasion(database).of_export(sql, count, time.monotonic() - started))
    return count


def logged_change(what: str, lines: str, write: Callable[[], None]) -> None:
    """Log a change of what is served or of who may see it, where a log is kept, and make it.

    `what` says it in a sentence, `lines` are those that change. The entry comes first, so that nothing is
    changed where it can't be written (`ConfigError`); an error of `write` is an entry as well.
    """
    log, asker = audit_log_of(), _asker.get() or WhoAsks(account_name(), "python")
    if log is not None:
        log.append(asker.change(what, lines, "changed"))
    try:
        write()
    except Exception as error:
        if log is not None:
            log.append(asker.change(what, lines, type(error).__name__))
        raise


T = TypeVar("T", Result, int | None)


def _logged(database: Database, sql: str, work: Callable[[], T]) -> T:
    if database.granted is not None and not database.granted.sql:
        raise RightsError("The rights there are let you ask questions, not run queries of your own.")
    log = audit_log_of()
    if log is None:
        return work()
    started = time.monotonic()
    try:
        outcome = work()
    except FathomError as error:
        log.append(_occasion(database).of_query(sql, error, time.monotonic() - started))
        raise
    log.append(_occasion(database).of_query(sql, outcome, time.monotonic() - started))
    return outcome
