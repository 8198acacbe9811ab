"""`fathom ask`: answer a question, or several in a row."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.answering import Conversation, as_json, prepare
from fathom.answering.preparation import model_or_usual
from fathom.databases import connect
from fathom.errors import InputError
from fathom.interfaces.cli import DECLINED
from fathom.interfaces.cli.answer_progress import watched_answer
from fathom.interfaces.cli.answers import save_chart, show_answer, show_guess, show_mismatches, show_trace
from fathom.interfaces.cli.display import notices, plain, print_csv, print_json, print_sql
from fathom.interfaces.cli.options import (
    ANYBODY,
    NO_LIMIT,
    NO_RECORDING,
    AsUser,
    Recording,
    Repair,
    Spending,
    Strict,
    WithoutRules,
    rule_names,
)
from fathom.records import Answer, Ending, Limits


def ask(
    database: str,
    question: str | None = None,
    /,
    *,
    method: str | None = None,
    model: str | None = None,
    embeddings: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    evidence: str = "",
    pack: tuple[Path, ...] = (),
    confidence: float | None = None,
    choose: int | None = None,
    without_rules: WithoutRules = "",
    repair: Repair = None,
    after: Path | None = None,
    seconds: float = 30.0,
    no_index: bool = False,
    chart: Path | None = None,
    sql: bool = False,
    explain: bool = False,
    report: bool = False,
    json: bool = False,
    trace: bool = False,
    csv_: Annotated[bool, Parameter(name="--csv")] = False,
    safe_csv: bool = False,
    strict: Strict = False,
    asker: AsUser = ANYBODY,
) -> int:
    """Ask a database a question in plain language; without a question, open a prompt for several.

    The exit code is 0 with an answer. It is 3 if Fathom isn't sure, and shows up to three readings to choose
    from, or if it doesn't know, and says what it didn't understand.

    Parameters
    ----------
    database
        A path, a URL, a name from the settings, or demo:shop.
    question
        Your question. Without one, a prompt takes questions and follow-ups.
    method
        How to find the query: a name (fathom methods), or the TOML file of your own method. The default is
        offline; with --model it is adaptive, which tries offline first, and with --model local it is local.
    model
        The language model to use: local, PROVIDER:NAME or http://HOST:PORT/v1#NAME (fathom models). The
        default is the one in the settings, if any.
    embeddings
        The model that compares meanings: PROVIDER:NAME, http://HOST:PORT/v1#NAME or
        sentence-transformers:NAME. Without one, words and spelling are compared.
    evidence
        What you need to know for this question, such as "adult refers to age >= 18".
    pack
        A knowledge pack for the database; you can repeat this option.
    confidence
        The lowest confidence to answer with, 0 to 1; with 0 any guess is an answer. By default, offline
        answers if it expects to be right nine times out of ten.
    choose
        If Fathom isn't sure, take this reading as the answer, 1 to 3.
    after
        Continue from an earlier answer (a file of what --json printed) or from a conversation saved as .json;
        the question can then be a follow-up.
    seconds
        Stop a query after this many seconds.
    no_index
        Don't index the values of a new database, which takes minutes if it is large. Values are then found
        only if the question names their column.
    chart
        Write a chart of the result to this file: .json (Vega-Lite), .html, .svg or .png.
    sql
        Print only the SQL.
    explain
        Also show how the answer was found: the steps, the candidates and the time.
    report
        Answer the question and two related ones, and say what the data supports: drivers, trend, forecast.
    json
        Print one JSON object: ending, answer, sql, explanation, assumptions, result, readings.
    trace
        With --json: also print the steps that led to the answer.
    csv_
        Print the rows as CSV, each cell as it is stored. A spreadsheet may run text that begins with =, +, -
        or @ as a formula; --safe-csv prevents that.
    safe_csv
        Print the rows as CSV, with ' before text that a spreadsheet would run as a formula.
    """
    if trace and not json:
        raise InputError("--trace goes with --json.")
    from fathom.llm import opened_embedder, opened_model  # noqa: PLC0415, slow to import

    budget = spending.budget("conversation" if question is None else "question")
    tape, replay = recording.cassette, recording.replay
    with (
        opened_model(model_or_usual(model, method), cassette=tape, replay=replay, budget=budget) as chosen,
        opened_embedder(embeddings, cassette=tape, replay=replay, budget=budget) as near,
        connect(
            database, strict=strict or None, rights=asker.rights, user=asker.user, index=not no_index
        ) as db,
    ):
        limits = Limits(seconds=seconds)
        asking = prepare(
            db,
            method=method,
            packs=pack,
            limits=limits,
            confidence=confidence,
            without_rules=rule_names(without_rules),
            repair=repair,
            model=chosen,
            embeddings=near,
        )
        if pack:
            show_mismatches(asking)
        if report and question is not None:
            from fathom.interfaces.cli.reports import show_report  # noqa: PLC0415, only where asked for

            return show_report(question, evidence, asking, as_json=json)
        talk = Conversation(asking) if after is None else Conversation.load(after, asking)
        if question is None:
            from fathom.interfaces.cli.prompt import QuestionPrompt  # noqa: PLC0415, only where it is asked for

            QuestionPrompt(talk, evidence=evidence).run()
            return 0
        given = watched_answer(talk, question, evidence)
        if choose is not None and given.ending is not Ending.SURE:
            given = given.choose(choose)
        dialect = db.dialect
    if csv_ or safe_csv:
        return _print_csv(given, safe=safe_csv)
    if json:
        print_json(as_json(given, trace=trace or explain))
    else:
        _show(given, dialect, sql=sql, explain=explain)
    if chart is not None:
        _save_chart(given, chart)
    return _exit_code(given)


def _print_csv(given: Answer, *, safe: bool) -> int:
    """The rows alone on standard output; why there are none, as a notice."""
    if given.shown is None or given.ending is not Ending.SURE:
        notices.print(plain(given.text))
    else:
        print_csv(given.shown, safe=safe)
    return _exit_code(given)


def _show(given: Answer, dialect: str, *, sql: bool, explain: bool) -> None:
    if sql and given.sql:
        print_sql(given.sql)
    else:
        show_answer(given, explained=explain)
    if explain:
        show_guess(given, dialect)
        show_trace(given)


def _save_chart(given: Answer, file: Path) -> None:
    if given.chart is None:
        notices.print("No chart helps to see this result; none was written.")
        return
    save_chart(given.chart, file)
    notices.print(plain(f"The chart is in {file}."))


def _exit_code(given: Answer) -> int:
    return 0 if given.ending is Ending.SURE else DECLINED
