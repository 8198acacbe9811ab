"""The page's details of single questions, packed in chunks that the browser unpacks when they are opened.

Everything here comes from outside and is data: the page's script puts it into text nodes only.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.evaluation.difference import differences
from fathom.evaluation.runs.contrast import Contrast
from fathom.evaluation.runs.folder import read_contents

CHUNK = 40
_SHOWN_FOUND = 3_000
_SHOWN_TEXT = 8_000
_LITERALS = {TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.NUMBER}
_NAMES = {TokenType.VAR, TokenType.IDENTIFIER}


@dataclass(frozen=True, slots=True)
class DrillDown:
    """`index` lists the questions with each run's outcome; `chunks` hold their details, 40 questions each."""

    index: Sequence[Mapping[str, Any]]
    chunks: Sequence[str]
    shown: int
    all: int


def drill_down(found: Sequence[Contrast], *, most: int, dialect: str = "") -> DrillDown:
    """Join the records of runs over one benchmark by question id; ids of several are told apart by its name.

    At most `most` questions are kept, in the first run's order.
    """
    questions: dict[str, dict[str, Any]] = {}
    left_out: set[str] = set()
    runs = sum(len(one.folders) for one in found)
    for one, label, folder in ((c, label, folder) for c in found for label, folder in c.folders.items()):
        run = one.numbers[label]
        for _, record in read_contents(folder):
            identifier = f"{one.benchmark}: {record['id']}" if len(found) > 1 else str(record["id"])
            if identifier not in questions:
                if len(questions) >= most:
                    left_out.add(identifier)
                    continue
                questions[identifier] = _question(identifier, record, runs, dialect)
            classes = one.details[label].classes.get(str(record["id"]), {})
            questions[identifier]["runs"][run] = _answer(record, dialect) | {"classes": classes}
    kept = list(questions.values())
    if len(found) == 1:
        kept.sort(key=lambda q: q["position"])
    index = [_index_entry(q) for q in kept]
    chunks = [pack(kept[i : i + CHUNK]) for i in range(0, len(kept), CHUNK)]
    return DrillDown(index, chunks, len(kept), len(kept) + len(left_out))


def pack(content: Any) -> str:
    """JSON, deflated, in base64: nothing in it can end a script element."""
    encoded = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(encoded, 6)).decode("ascii")


def _index_entry(question: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "i": question["id"],
        "q": question["question"],
        "l": question["difficulty"],
        "d": question["database"],
        "o": "".join(a["o"] if a else "-" for a in question["runs"]),
        "k": sorted({f"{by}: {name}" for a in question["runs"] if a for by, name in a["classes"].items()}),
    }


def _question(identifier: str, record: Mapping[str, Any], runs: int, dialect: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "position": record.get("position", 0),
        "question": _cut(record.get("question")),
        "evidence": _cut(record.get("evidence")),
        "database": Path(str(record.get("database", ""))).stem,
        "difficulty": record.get("difficulty") or "",
        "tags": record.get("tags") or [],
        "answerable": record.get("answerable", True),
        "gold": _gold(record, dialect),
        "rows": record.get("gold_rows"),
        "runs": [None] * runs,
    }


def _gold(record: Mapping[str, Any], dialect: str) -> list[tuple[str, ...]]:
    if call := record.get("call"):
        return [_call_text(call["gold"])]
    return [highlight(g, dialect) for g in record.get("gold") or []]


def _answer(record: Mapping[str, Any], dialect: str) -> dict[str, Any]:
    right = record["outcome"] == "correct"
    shown, difference = _shown(record, dialect)
    return {
        "o": record["outcome"][0],
        "declined": record.get("declined", False),
        "refusal": _cut(record.get("refusal")),
        "verdict": record.get("verdict", ""),
        "score": record.get("score"),
        "confidence": record.get("confidence"),
        "seconds": record.get("seconds"),
        "error": _cut(record.get("error")),
        "sql": shown,
        "difference": [] if right else difference,
        "rows": None if right and record.get("rows") == record.get("gold_rows") else record.get("rows"),
        "trace": [_step(s) for s in record.get("trace") or []],
    }


def _shown(record: Mapping[str, Any], dialect: str) -> tuple[tuple[str, ...] | None, list[list[Any]] | None]:
    """The query or call of one answer in pieces, and how it differs from gold."""
    if call := record.get("call"):
        return (_call_text(call["call"]) if call["call"] else None), _call_difference(call)
    sql, gold = record.get("sql"), record.get("gold") or []
    if not sql:
        return None, []
    return highlight(sql, dialect), _difference(sql, gold[0], dialect) if gold else []


def _call_text(call: Mapping[str, Any]) -> tuple[str, ...]:
    """A tool call as `highlight` gives queries: pieces, each preceded by its kind."""
    pieces = ["k", str(call["name"])]
    for name, value in call["arguments"].items():
        pieces += ["", f"\n  {name} = ", "l", _cut(json.dumps(value, ensure_ascii=False))]
    return tuple(pieces)


def _call_difference(call: Mapping[str, Any]) -> list[list[Any]]:
    """In the shape of `_difference`; a wrong value is both missing and extra."""
    made, gold = call["call"], call["gold"]
    if not made:
        return []
    found = [["endpoint", [gold["name"]], [made["name"]]]] if made["name"] != gold["name"] else []
    lacks = [_said(gold, n) for n in (*call["missing"], *call["wrong"])]
    has = [_said(made, n) for n in (*call["extra"], *call["wrong"])]
    return [*found, ["arguments", lacks, has]] if lacks or has else found


def _said(call: Mapping[str, Any], name: str) -> str:
    return _cut(f"{name} = {json.dumps(call['arguments'].get(name), ensure_ascii=False)}")


def _difference(sql: str, gold: str, dialect: str) -> list[list[Any]] | None:
    found = differences(sql, gold, dialect)
    if found is None:
        return None
    return [[d.clause, [_cut(m) for m in d.missing], [_cut(e) for e in d.extra]] for d in found]


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    usage = step.get("usage") or {}
    found = json.dumps(step.get("found") or {}, ensure_ascii=False, indent=1)
    return {
        "name": step.get("name", ""),
        "module": step.get("module", ""),
        "found": "" if found == "{}" else found[:_SHOWN_FOUND],
        "calls": usage.get("calls"),
        "tokens": _tokens(usage),
        "cost": usage.get("cost_usd"),
        "seconds": sum(usage.get(f"{w}_seconds") or 0.0 for w in ("model", "database", "own")),
    }


def _tokens(usage: Mapping[str, Any]) -> int:
    """The tokens of a step; older records hold them by prompt and reply alone."""
    parts = (usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)
    return int(usage.get("tokens", parts))


def _cut(text: Any) -> str:
    shown = "" if text is None else str(text)
    return shown if len(shown) <= _SHOWN_TEXT else shown[:_SHOWN_TEXT] + "…"


@lru_cache(maxsize=50_000)
def highlight(sql: str, dialect: str = "") -> tuple[str, ...]:
    """The query in pieces, each preceded by its kind: keyword, literal, name or plain text.

    A query that can't be tokenized is one plain piece. Joined, the pieces are the query again.
    """
    sql = _cut(sql)
    try:
        tokens = sqlglot.tokenize(sql, read=dialect or None)
    except (SqlglotError, RecursionError):
        return ("", sql)
    return tuple(_merged(_pieces(sql, tokens)))


def _pieces(sql: str, tokens: Iterable[Any]) -> Iterator[tuple[str, str]]:
    at = 0
    for token in tokens:
        if token.start > at:
            yield "", sql[at : token.start]
        kind = "l" if token.token_type in _LITERALS else "n" if token.token_type in _NAMES else ""
        text = sql[token.start : token.end + 1]
        if not kind and text[:1].isalpha():
            kind = "k"
        yield kind, text
        at = token.end + 1
    if at < len(sql):
        yield "", sql[at:]


def _merged(pieces: Iterable[tuple[str, str]]) -> list[str]:
    """Pieces of one kind in a row become one."""
    found: list[str] = []
    for kind, text in pieces:
        if found and found[-2] == kind:
            found[-1] += text
        else:
            found += [kind, text]
    return found
