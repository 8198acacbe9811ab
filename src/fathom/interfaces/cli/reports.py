"""How a report looks on a terminal."""

import asyncio

from fathom.answering import Asking
from fathom.answering.audit_log import logging_as
from fathom.answering.report import Report, report
from fathom.interfaces.cli import DECLINED
from fathom.interfaces.cli.display import console, notices, plain, print_json, print_sql
from fathom.records import Question


def show_report(question: str, evidence: str, asking: Asking, *, as_json: bool) -> int:
    """Make a report and print it: the answers with their SQL, each finding with the test it stands on."""
    looking = "Looking for the answer, and for what the data supports ..."
    with notices.status(looking), logging_as("command line"):
        made = asyncio.run(report(Question(question, evidence=evidence), asking))
    answered = not made.missing and (made.findings or made.answer.result)
    if as_json:
        print_json(made.as_json())
        return 0 if answered else DECLINED
    if made.missing or not answered:
        console.print(plain(made.text), style="yellow", soft_wrap=True)
        return DECLINED
    if made.kind == "descriptive":
        _show_answers(made)
    _show_findings(made)
    if made.kind != "descriptive":
        _show_answers(made)
    return 0


def _show_findings(made: Report) -> None:
    """Print each finding, with the figures that it stands on below it."""
    for finding in made.findings:
        console.print(plain(finding.sentence), style="bold", soft_wrap=True)
        for check in finding.checks:
            told = f"{check.reason} {check.test}".strip()
            console.print(plain(f"    {told}"), style="dim", soft_wrap=True)


def _show_answers(made: Report) -> None:
    for one in made.answered:
        console.print(plain(f"\n{one.question.text}"), style="dim", soft_wrap=True)
        console.print(plain(one.text), style="bold", soft_wrap=True)
        print_sql(one.sql or "")
