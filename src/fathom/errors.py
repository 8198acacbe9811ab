"""Every error that Fathom raises, in one tree; catch `FathomError` to catch them all.

Each error keeps its facts as attributes, so that an interface need not parse its text.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path


class ErrorClass(StrEnum):
    """Why a query failed, across dialects (docs/metrics.md)."""

    NO_SUCH_NAME = "no_such_table_or_column"
    NO_SUCH_FUNCTION = "no_such_function"
    SYNTAX = "syntax_error"
    TIMEOUT = "timeout"
    OTHER = "other"


class FathomError(Exception):
    """Base of every error that Fathom raises on purpose. It pickles with its facts."""

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[FathomError], args: tuple[object, ...], facts: dict[str, object]) -> FathomError:
    made = kind.__new__(kind, *args)
    made.args = args
    made.__dict__.update(facts)
    return made


class UnknownName(FathomError):
    """A name that nothing is registered under; suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(f"There is no {kind} {name!r}.{did_you_mean(name, self.known)}")


class MissingExtra(FathomError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.purpose, self.package, self.extra = purpose, package, extra
        super().__init__(f'{purpose} needs {package}. Run: pip install "askfathom[{extra}]"')


class ConfigError(FathomError):
    """A setting that can't be used."""


class Misread(FathomError):
    """A query reads data otherwise than they are kept, as `reason` says in a sentence."""

    @property
    def reason(self) -> str:
        """The reason as a sentence, for an answer."""
        text = str(self)
        return f"{text[:1].upper()}{text[1:]}."


class BrokenRule(FathomError):
    """A rule of the offline method that can't be asked, for what it gives or for its name."""

    def __init__(self, rule: str, fault: str) -> None:
        self.rule, self.fault = rule, fault
        super().__init__(f"The rule {rule!r} of the offline method {fault}.")


class InternalError(FathomError):
    """An error that Fathom didn't foresee; `file` has its traceback, None where that couldn't be written."""

    def __init__(self, error: BaseException, file: Path | None) -> None:
        self.file = file
        kept = f" The details are in {file}: please report them." if file else ""
        # Without the error's own words, which may quote data that whoever asked may not see.
        super().__init__(f"Something went wrong inside Fathom ({type(error).__name__}).{kept}")


class RightsError(FathomError):
    """A refusal for lack of rights; it doesn't tell whether the thing asked for exists."""


class InputError(FathomError):
    """A file from outside that can't be read as what it should be; names file, line and field."""

    def __init__(
        self, problem: str, *, file: object = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.problem, self.file, self.line, self.field = problem, file, line, field
        where = ", ".join(
            part
            for part in (
                str(file) if file is not None else "",
                f"line {line}" if line is not None else "",
                f"field {field!r}" if field else "",
            )
            if part
        )
        super().__init__(f"{where}: {problem}" if where else problem)


class InputErrors(InputError):
    """Several problems of files from outside, all that were found; `problems` holds them one by one."""

    def __init__(self, problems: Sequence[InputError]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(first.problem, file=first.file, line=first.line, field=first.field)
        self.args = ("\n".join(str(p) for p in self.problems),)


class Cancelled(FathomError):
    """The work was stopped because somebody asked for it. No failure of a query: nothing tries another."""

    def __init__(self) -> None:
        super().__init__("It was cancelled.")


class QuestionTooLong(FathomError):
    """A question, or the evidence given with it, has more than `limit` characters."""

    def __init__(self, what: str, length: int, limit: int) -> None:
        self.length, self.limit = length, limit
        super().__init__(
            f"The {what} has {length:,} characters; the limit is {limit:,}. Ask for one thing at a time."
        )


class DatabaseError(FathomError):
    """Something about a database."""


class ConnectionFailed(DatabaseError):
    """The database can't be opened."""


class DatabaseNotNamed(ConnectionFailed):
    """The URL of a server names none of its `databases`."""

    def __init__(self, message: str, databases: Sequence[str]) -> None:
        self.databases = tuple(databases)
        super().__init__(message)


class AccountRefused(ConnectionFailed):
    """The account may do more than read, where only one that doesn't is taken; `risks` are its `what`s."""

    def __init__(self, message: str, risks: Sequence[str]) -> None:
        self.risks = tuple(risks)
        super().__init__(message)


class AccountWarning(UserWarning):
    """The account that a database is asked with may do more than read; not an error, so not in the tree."""


class SchemaError(DatabaseError):
    """A table or column that isn't there."""


class QueryError(DatabaseError):
    """A query gave no result; `error_class` says in which of the ways."""

    def __init__(self, message: str, *, sql: str = "", error_class: ErrorClass = ErrorClass.OTHER) -> None:
        self.message, self.sql, self.error_class = message, sql, error_class
        super().__init__(message)


class QueryRefused(QueryError):
    """The guard doesn't let the query run; `rule` is the rule's short name, `reason` is for people."""

    def __init__(
        self, rule: str, reason: str, *, sql: str = "", error_class: ErrorClass = ErrorClass.OTHER
    ) -> None:
        self.rule, self.reason = rule, reason
        super().__init__(f"Refused: {reason}", sql=sql, error_class=error_class)


class QueryFailed(QueryError):
    """The engine rejected the query, or failed while running it."""


class QueryTimedOut(QueryError):
    """The query was stopped at its limit of time or of steps; `seconds` is None where time had none.

    `may_go_on` tells that a server didn't stop when asked: we no longer wait, but it may still be working.
    """

    def __init__(
        self, seconds: float | None, *, sql: str = "", steps: int | None = None, may_go_on: bool = False
    ) -> None:
        self.seconds, self.steps, self.may_go_on = seconds, steps, may_go_on
        bounds = (f"{seconds:g} s" if seconds is not None else "", f"{steps:,} steps" if steps else "")
        limit = " or ".join(b for b in bounds if b)
        told = f"The query was stopped after {limit}."
        if may_go_on:
            told = (
                f"The query was given up after {limit}: the server didn't stop when asked, so the connection"
                " was closed. The server may still be working on it; its administrator can look."
            )
        super().__init__(told, sql=sql, error_class=ErrorClass.TIMEOUT)


class ToolError(FathomError):
    """Something about a call of a biomedical API."""


class CallRefused(ToolError):
    """A call that isn't made, since its arguments can't be right; `problems` says why, by parameter."""

    def __init__(self, endpoint: str, problems: Mapping[str, str]) -> None:
        self.endpoint, self.problems = endpoint, dict(problems)
        told = "\n".join(f"  {name}: {problem}" for name, problem in self.problems.items())
        super().__init__(f"{endpoint} can't be called so:\n{told}")


class CallFailed(ToolError):
    """A call that was made and gave no answer; `retryable` tells whether the same call may work later, and
    `wait` after how many seconds, if the service said so.
    """

    retryable = False

    def __init__(
        self, message: str, *, url: str = "", status: int | None = None, wait: float | None = None
    ) -> None:
        self.message, self.url, self.status, self.wait = message, url, status, wait
        super().__init__(message)


class RecordNotFound(CallFailed):
    """The service has no such record."""


class RequestRejected(CallFailed):
    """The service finds the request invalid."""


class RateLimited(CallFailed):
    """The service asks for fewer requests, and went on doing so after waiting."""

    retryable = True


class ServiceDown(CallFailed):
    """The service can't be reached, or answers with errors of its own."""

    retryable = True


class ResponseTooLarge(CallFailed):
    """The response is larger than the limit."""

    def __init__(self, limit: int, *, url: str = "") -> None:
        self.limit = limit
        super().__init__(f"The response is larger than the limit of {limit / 1e6:g} MB.", url=url)


class ModelError(FathomError):
    """Something about a language model. `lasting` tells that every further request would fail as well."""

    lasting = False


class ModelNeeded(ModelError):
    """A method asks a language model, and none was given."""

    lasting = True

    def __init__(self) -> None:
        super().__init__(
            "This method asks a language model: name one with --model provider:name (see fathom models), "
            "or use the method offline, which needs none."
        )


class ModelNotConfigured(ModelError):
    """The provider isn't known, or its key or address isn't set; says what to set."""

    lasting = True


_LASTING = frozenset({"authentication", "no_such_model", "quota", "unreachable"})
"""Why a model gave no reply, where no other request gets one either."""


class ModelFailed(ModelError):
    """A model gave no reply, also after the attempts that made sense.

    `reason` is a short name such as rate_limit or timeout, `status` the last HTTP status if there was one,
    `advice` what to do, "" where the problem says all.
    """

    def __init__(
        self,
        model: str,
        reason: str,
        problem: str,
        *,
        status: int | None = None,
        attempts: int = 1,
        advice: str = "",
    ) -> None:
        self.model, self.reason, self.problem, self.advice = model, reason, problem, advice
        self.status, self.attempts = status, attempts
        self.lasting = reason in _LASTING
        tried = f" ({attempts} attempts)" if attempts > 1 else ""
        super().__init__(f"{model} gave no reply{tried}: {sentences(problem, advice)}")


class ReplyUnusable(ModelError):
    """A model's replies never had the form that was asked for; `reply` is the last one."""

    def __init__(self, model: str, problem: str, *, reply: str = "") -> None:
        self.model, self.problem, self.reply = model, problem, reply
        super().__init__(f"{model} gave no usable reply: {problem}")


class BudgetExceeded(ModelError):
    """A budget is used up, so no further request was sent; `limit` is calls, tokens or dollars."""

    def __init__(self, budget: str, limit: str, problem: str) -> None:
        self.budget, self.limit, self.problem = budget, limit, problem
        self.lasting = budget == "run"
        super().__init__(f"The budget of this {budget} is used up: {sentences(problem)}.")


class CassetteError(ModelError):
    """A cassette can't be read or written."""

    lasting = True


class CassetteMiss(CassetteError):
    """The cassette that is replayed doesn't hold a request; `nearest` is the recorded one most like it."""

    def __init__(self, file: object, key: str, asked: str, nearest: str) -> None:
        self.file, self.key, self.asked, self.nearest = file, key, asked, nearest
        super().__init__(
            f"{file} holds no reply to this request (key {key[:12]}): {asked}\n{nearest}\n"
            "Record it again with the model, or replay the run that was recorded."
        )


class PromptError(FathomError):
    """A prompt's file is at fault, or it was given the wrong variables."""


def sentences(*parts: str) -> str:
    """Parts of a message one after the other, each that another follows with a full stop."""
    *before, last = [p.strip() for p in parts if p.strip()] or [""]
    return " ".join([*(p if p[-1] in ".!?" else f"{p}." for p in before), last])


def did_you_mean(name: str, known: Sequence[str], *, shown: int = 12) -> str:
    """The sentence that follows an unknown name: its nearest neighbour, or what there is."""
    from difflib import get_close_matches  # noqa: PLC0415, slow to import, and few names are unknown

    folded = {k.casefold(): k for k in known}
    if close := get_close_matches(name.casefold(), folded, n=1):
        return f" Did you mean {folded[close[0]]!r}?"
    longer = [k for k in known if k.casefold().startswith(name.casefold())] if name else []
    if 0 < len(longer) <= shown:
        return f" Did you mean {' or '.join(map(repr, longer))}?"
    if not known:
        return ""
    more = f" and {len(known) - shown} more" if len(known) > shown else ""
    return f" There is: {', '.join(known[:shown])}{more}."
