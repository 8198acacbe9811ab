"""Findings as JSONL, for people to settle, and as Markdown, to read."""

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from fathom.authoring.audit.findings import KINDS, AuditFinding
from fathom.errors import InputError
from fathom.evaluation.outcome import told_unjudged


def write_findings(findings: Sequence[AuditFinding], out: Path, *, unjudged: int = 0) -> None:
    """Write `.md`, which tells how many questions are `unjudged`, or JSONL under any other ending.

    Raises `InputError` when the file can't be written.
    """
    lines = (json.dumps(f.as_json(), ensure_ascii=False) + "\n" for f in findings)
    text = findings_markdown(findings, unjudged) if out.suffix.casefold() == ".md" else "".join(lines)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error


def findings_markdown(findings: Sequence[AuditFinding], unjudged: int = 0) -> str:
    """A report: how many of each kind, then each with its evidence."""
    counts = Counter(f.kind for f in findings)
    questions = len({f.id for f in findings})
    away = told_unjudged({"database": unjudged}) + "." if unjudged else ""
    told = f"{len(findings):,} findings about {questions:,} questions. {away}".rstrip()
    lines = ["# Audit of gold", "", told, ""]
    lines += ["| kind | findings | what it says |", "|---|---|---|"]
    lines += [f"| {kind} | {counts[kind]:,} | {said} |" for kind, said in KINDS.items()]
    for kind, said in KINDS.items():
        if counts[kind]:
            lines += ["", f"## {kind}", "", said]
        for f in findings:
            if f.kind == kind:
                lines += ["", f"**{_text(f.id)}** ({_text(f.database)}): {_text(f.question)}", ""]
                lines += [*_block(f.gold), "", _text(f.evidence)]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """Text that stays text, also where a renderer lets HTML through: no tag, link or picture."""
    return escape(value, quote=False).replace("\n", " ").replace("[", r"\[")


def _block(sql: str) -> list[str]:
    """An indented block: unlike a fence, nothing in the query can end it."""
    return [f"    {line}" for line in sql.splitlines()] or ["    (no query)"]
