"""`fathom ask`: answer a question, or several in a row."""

import asyncio
from pathlib import Path

from fathom.answering import Conversation, as_json, prepare
from fathom.databases import connect
from fathom.errors import InputError, ModelError
from fathom.interfaces.cli import ASKS_BACK, DECLINED
from fathom.interfaces.cli.answers import save_chart, show_answer, show_guess, show_mismatches, show_trace
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.showing import console, notices, plain, print_json, print_sql
from fathom.records import Answer, Limits


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
    seconds: float = 30.0,
    chart: Path | None = None,
    tools: bool = False,
    caller: str | None = None,
    calls: int = 4,
    sql: bool = False,
    explain: bool = False,
    json: bool = False,
) -> int:
    """Answer a question from a database, with its evidence; without a question, several in a row.

    Exits with 0 when it answered, 3 when it declined, 4 when it asks back.

    Parameters
    ----------
    database
        A path, a URL, a name from the settings, or demo:biomed; with --tools, the question.
    question
        In plain language. Left out, a prompt takes questions and follow-ups.
    method
        How to find the query: a name (fathom methods), or the TOML file of a composed method. Left out, it is
        offline; with --model it is adaptive, which tries offline first.
    model
        The language model to ask, PROVIDER:NAME or http://HOST:PORT/v1#NAME (fathom models).
    embeddings
        The model that tells methods what is near in meaning: PROVIDER:NAME, http://HOST:PORT/v1#NAME or
        sentence-transformers:NAME. Without one words and spelling tell it.
    evidence
        Outside knowledge for this question, such as "adult refers to age >= 18".
    pack
        A knowledge pack for the database; may be given several times.
    confidence
        Answer from this confidence on, 0 to 1; with 0 every guess is an answer. Left out, offline answers
        where nine in ten answers are expected to be right.
    seconds
        Stop a query after this time.
    chart
        Write the chart that helps to see the result: .json (Vega-Lite), or .html, .svg or .png.
    tools
        Ask NCBI, UniProt or Ensembl instead of a database: fathom ask --tools "QUESTION".
    caller
        With --tools: how to find the calls: offline, llm or finetuned.
    calls
        With --tools: the most calls made in a row, where one answer feeds the next.
    sql
        Print the SQL only.
    explain
        Show how it was found as well: the steps, the candidates, the time.
    json
        Print one JSON object: status, answer, sql, explanation, assumptions, result, confidence, trace.
    """
    if caller is not None and not tools:
        raise InputError("--caller goes with --tools.")
    from fathom.llm import opened_embedder, opened_model  # noqa: PLC0415, slow to import

    budget = spending.budget("conversation" if question is None and not tools else "question")
    tape, replay = recording.cassette, recording.replay
    with (
        opened_model(model, cassette=tape, replay=replay, budget=budget) as chosen,
        opened_embedder(embeddings, cassette=tape, replay=replay, budget=budget) as near,
    ):
        if tools:
            from fathom.interfaces.cli.tool_answers import ask_tools  # noqa: PLC0415, databases don't need it

            asked = database if question is None else question
            return ask_tools(asked, caller=caller, model=chosen, limit=calls, as_json=json)
        with connect(database) as db:
            limits = Limits(seconds=seconds)
            asking = prepare(
                db,
                method=method,
                packs=pack,
                limits=limits,
                confidence=confidence,
                model=chosen,
                embeddings=near,
            )
            if pack:
                show_mismatches(asking)
            conversation = Conversation(asking)
            if question is None:
                return _prompt(conversation, evidence)
            given = _asked(conversation, question, evidence)
            dialect = db.dialect
    return _show(given, dialect, sql=sql, explain=explain, json=json, chart=chart)


def _show(given: Answer, dialect: str, *, sql: bool, explain: bool, json: bool, chart: Path | None) -> int:
    if json:
        print_json(as_json(given))
    elif sql and given.sql:
        print_sql(given.sql)
    else:
        show_answer(given, explained=explain)
    if explain and not json:
        show_guess(given, dialect)
        show_trace(given)
    if chart is not None:
        _save_chart(given, chart)
    return _exit_code(given)


def _prompt(conversation: Conversation, evidence: str) -> int:
    """Take questions until the end of input."""
    database = conversation.asking.database
    tables = len(database.schema.tables)
    notices.print(
        plain(f"Asking {database.name} ({tables} tables). Follow-ups may be short; an empty line ends."),
        style="dim",
    )
    while line := _next_line():
        try:
            show_answer(_asked(conversation, line, evidence))
        except ModelError as error:
            if error.lasting:
                raise
            notices.print(plain(f"Error: {error}"), style="red")  # the next question may be answered
    return 0


def _asked(conversation: Conversation, question: str, evidence: str) -> Answer:
    """The answer, with a sign of life meanwhile: it may take indexing values, or learning from examples."""
    with notices.status("Looking for the answer; the first question about a database takes longest ..."):
        return asyncio.run(conversation.ask(question, evidence=evidence))


def _next_line() -> str:
    try:
        return console.input("\n[bold]?[/bold] ").strip() if console.is_terminal else input().strip()
    except EOFError:
        return ""


def _save_chart(given: Answer, file: Path) -> None:
    if given.chart is None:
        notices.print("No chart helps to see this result; none was written.")
        return
    save_chart(given.chart, file)
    notices.print(plain(f"The chart is in {file}."))


def _exit_code(given: Answer) -> int:
    if given.readings:
        return ASKS_BACK
    return DECLINED if given.refusal else 0
