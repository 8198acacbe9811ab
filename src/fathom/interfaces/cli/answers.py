"""How an answer looks on a terminal, and charts in files."""

import json
import shlex
from pathlib import Path

from fathom.answering import Asking, explain
from fathom.answering.pictures import as_page, as_png, as_svg
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain, print_rows, print_sql
from fathom.knowledge import check
from fathom.records import Answer, Chart, Result, Usage
from fathom.text.inflection import quoted_list

MOST_CANDIDATES = 5
CELL_LETTERS = 60
"""Of longer cells an answer shows the beginning."""
MOST_MISMATCHES = 5
READING_ROWS = 5
"""Of each reading: enough to tell it from the others."""


def show_answer(answer: Answer, *, explained: bool = False) -> None:
    """The answer in words, its rows, and below them what it rests on.

    Where it is unsure, its readings instead, so marked that nobody takes one for an answer. Where it doesn't
    know and has a best guess, how to see that, unless it is `explained` anyway.
    """
    if answer.readings:
        _show_readings(answer)
    else:
        console.print(plain(answer.text), style="yellow" if answer.refusal else "bold")
    if answer.refusal and (unsaid := [w for w in answer.refusal.missing if f"“{w}”" not in answer.text]):
        console.print(plain(f"Not understood: {quoted_list(unsaid)}."))
    if answer.refusal and len(answer.refusal.missing) == 1:
        word = shlex.quote(answer.refusal.missing[0])
        ways = 'TABLE.COLUMN, or --condition "SQL" --tables TABLE'
        told = plain(f"Say what it means: fathom teach DATABASE --word {word} --means {ways}.")
        console.print(told, style="dim", soft_wrap=True)
    if answer.refusal and answer.refusal.instead:
        console.print("You could ask:")
        for question in answer.refusal.instead:
            console.print(plain(f"  {question}"))
    if answer.guess and not explained:
        console.print(
            "I have a guess, but I don't trust it: add --explain or --confidence 0 to see it.",
            style="dim",
        )
    if answer.shown and _has_rows_to_show(answer.shown):
        print_rows(answer.shown, letters=CELL_LETTERS)
    if answer.sql:
        _show_evidence(answer)
    if (used := answer.trace.usage).calls:
        console.print(f"Asked the model: {spent(used)}.", style="dim")


def _show_readings(answer: Answer) -> None:
    """The readings to choose among: words, how likely, the first rows, the SQL."""
    reason = answer.refusal.reason if answer.refusal else ""
    console.print(plain(f"I'm not sure. {reason}".strip()), style="yellow")
    console.print("These are not answers yet. Your question may mean:", style="yellow")
    for number, reading in enumerate(answer.readings, 1):
        sure = f" [{reading.confidence:.0%}]" if reading.confidence is not None else ""
        console.print(plain(f"\n({number}) {reading.text}{sure}"), style="bold")
        console.print(plain(reading.answer))
        if reading.shown and _has_rows_to_show(reading.shown):
            print_rows(reading.shown, most=READING_ROWS, letters=CELL_LETTERS)
        print_sql(reading.sql)


def _has_rows_to_show(result: Result) -> bool:
    """True if the rows say more than the sentence does."""
    return len(result.rows) > 1 or len(result.columns) > 1


def _show_evidence(answer: Answer) -> None:
    console.print()
    print_sql(answer.sql or "")
    if answer.explanation:
        console.print(plain(answer.explanation), style="dim")
    for assumption in answer.assumptions:
        source = f" ({assumption.source})" if assumption.source else ""
        console.print(plain(f"Assumed: {assumption.text}{source}"), style="dim")
    if answer.confidence is not None:
        console.print(f"Confidence {answer.confidence:.0%}.", style="dim")


def show_mismatches(asking: Asking) -> None:
    """Print the names in the packs that the database doesn't have: nothing else would show them."""
    found = check(asking.context.knowledge, asking.database.schema)
    for mismatch in found[:MOST_MISMATCHES]:
        notices.print(plain(f"Not in the database: {mismatch}"), style="yellow", soft_wrap=True)
    if len(found) > MOST_MISMATCHES:
        notices.print(f"... and {len(found) - MOST_MISMATCHES:,} more such names.", style="yellow")


def show_guess(answer: Answer, dialect: str) -> None:
    """Where the answer was declined: the best guess, how sure it is, and what was not understood."""
    guess = answer.best_query
    if answer.refusal is None or guess is None:
        return
    sure = f" (confidence {answer.confidence:.0%})" if answer.confidence is not None else ""
    console.print(plain(f"\nMy best guess{sure}, which I don't trust:"), style="bold")
    print_sql(guess)
    console.print(plain(explain(guess, dialect)), style="dim")
    missing = quoted_list(answer.refusal.missing) or "no single word; no query is likely enough to be right"
    console.print(plain(f"Not understood: {missing}."))


def show_trace(answer: Answer) -> None:
    """The steps that led to the answer, with the best candidates of each, the time and what models took."""
    console.print("\nHow it was found", style="bold")
    for step in answer.trace.steps:
        used = step.usage
        asked = f"; model {used.model_seconds:.1f} s, {spent(used)}" if used.calls else ""
        console.print(
            f"  {step.name} [dim]({step.module}; {used.own_seconds * 1000:.0f} ms own, "
            f"{used.database_seconds * 1000:.0f} ms database{asked})[/dim]"
        )
        for candidate in step.found.get("candidates", ())[:MOST_CANDIDATES]:
            score = candidate["score"]
            console.print(
                plain(f"    {'' if score is None else f'{score:7.3f}  '}{candidate['sql']}"), style="dim"
            )


def spent(used: Usage) -> str:
    """Calls, tokens and dollars in words."""
    calls = f"{used.calls} call{'s' if used.calls != 1 else ''}"
    least = "at least " if used.unmeasured_calls else ""
    cost = "price not known" if used.cost_usd is None else f"{used.cost_usd:.6f} dollars"
    return f"{calls}, {least}{used.prompt_tokens:,} + {used.completion_tokens:,} tokens, {cost}"


def save_chart(chart: Chart, file: Path) -> None:
    """Write a chart in the format that the file's ending names.

    Raises `InputError` for another ending or a file that can't be written, `MissingExtra` where pictures
    lack their renderer.
    """
    ending = file.suffix.casefold()
    try:
        if ending == ".json":
            file.write_text(json.dumps(chart.specification, ensure_ascii=False) + "\n", encoding="utf-8")
        elif ending == ".png":
            file.write_bytes(as_png(chart.specification))
        elif ending == ".svg":
            file.write_text(as_svg(chart.specification), encoding="utf-8")
        elif ending == ".html":
            # Bundled: the page opens without a network.
            file.write_text(as_page(chart.specification), encoding="utf-8")
        else:
            raise InputError("a chart is written as .json, .html, .svg or .png", file=file)
    except OSError as error:
        raise InputError(f"the chart can't be written: {error.strerror}", file=file) from error
