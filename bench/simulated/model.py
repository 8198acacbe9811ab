"""The replies of the simulated model. What a prompt shows counts: no query is right without its schema.

Whether a reply is right is drawn anew for each request, from its key: the same run gives the same replies.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from bench.simulated.corrupting import SYNTAX_ERRORS, corrupt
from bench.simulated.kinds import Kind, Task, kind_of
from fathom.llm import Message, Request, Script, ScriptedModel
from fathom.nl2sql.anatomy import anatomy
from fathom.nl2sql.reasoned import reason_of
from fathom.nl2sql.replies import json_object
from fathom.nl2sql.selections import used_by
from fathom.records import Schema

CERTAINTY = 2.0
"""How alike the draws of one question are: its own share of right replies is Beta(2p, 2(1 - p)).
With None each request is drawn by itself."""
REPEATS = 0.5
"""The share of wrong revisions that leave the query as it is."""
_FENCE = re.compile(r"<(\w+) id=(\w+)>\n(.*?)\n</\1 id=\2>", re.DOTALL)
_CANDIDATE = re.compile(r"^Candidate \d+:\n(.*?)\nResult:", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r"^table: (.+)\ncolumn: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Gold:
    """A question with its gold query and the schema that the query reads."""

    question: str
    sql: str
    schema: Schema

    @cached_property
    def used(self) -> Mapping[str, Sequence[str]]:
        """The tables that the query reads, with the columns it names."""
        return used_by(self.schema, self.sql).tables

    def is_right(self, sql: str) -> bool:
        """Whether a query is the gold one, layout aside."""
        return bool(_tree(sql, self.schema.dialect) == _tree(self.sql, self.schema.dialect))


@dataclass(frozen=True)
class Simulated:
    """Answers each request of a method rightly with probability `p`, and else as models err.

    A function from `Request` to the reply's text; `model` makes a `Model` of it. Raises `LookupError` for a
    prompt that holds none of the questions; one that shows no question is about the only one there is.
    """

    p: float
    golds: Sequence[Gold]
    seed: int = 0
    certainty: float | None = CERTAINTY
    syntax_errors: float = SYNTAX_ERRORS

    def model(self) -> ScriptedModel:
        """A model over these replies; tokens are counted as a script counts them."""
        return ScriptedModel(f"simulated-{self.p}", Script(rules={"": self}))

    def __call__(self, request: Request) -> str:
        words = "\n\n".join(m.text for m in request.messages)
        blocks = _blocks(words)
        gold = self._gold([text for name, text in blocks if name == "question"])
        draw = Random(f"{self.seed} {gold.question} {request.key}")
        kind = kind_of(words)
        rightly = draw.random() < self._share(gold)
        asked = _Asked(gold, kind, request.messages, blocks, draw, rightly, self.syntax_errors)
        return _REPLIES[kind.task](asked)

    def _share(self, gold: Gold) -> float:
        """The share of right replies to one question: some are harder than others, by chance alone."""
        if self.certainty is None or not 0 < self.p < 1:
            return self.p
        draw = Random(f"{self.seed} {gold.question}")
        return draw.betavariate(self.certainty * self.p, self.certainty * (1 - self.p))

    def _gold(self, questions: Sequence[str]) -> Gold:
        if not questions and len(self.golds) == 1:
            return self.golds[0]
        found = [g for g in self.golds if questions and g.question.strip() in questions[-1]]
        if not found:
            raise LookupError(f"no question that is known in {questions[-1:]}")
        return max(found, key=lambda g: len(g.question))


@dataclass(frozen=True)
class _Asked:
    """One request, read; `rightly` says how it is to be answered."""

    gold: Gold
    kind: Kind
    messages: Sequence[Message]
    blocks: Sequence[tuple[str, str]]
    draw: Random
    rightly: bool
    syntax_errors: float

    def block(self, *names: str) -> list[str]:
        """The data that the prompt shows under these names."""
        return [text for name, text in self.blocks if name in names]

    @property
    def needed(self) -> dict[str, list[str]]:
        """Tables with columns, said to be what the query needs: a wrong reply leaves one of them out."""
        used = {t: list(c) for t, c in self.gold.used.items()}
        if not self.rightly and used:
            table = self.draw.choice(list(used))
            if len(used) > 1 or len(used[table]) < 2:
                del used[table]
            else:
                used[table].remove(self.draw.choice(used[table]))
        return used

    @property
    def query(self) -> str:
        """The gold query where the reply is right and the prompt shows what it takes, else a wrong one."""
        return self.gold.sql if self.rightly and self._shown else self.corrupted

    @property
    def corrupted(self) -> str:
        return corrupt(self.gold.sql, self.gold.schema, self.draw, self.syntax_errors)

    @property
    def _shown(self) -> bool:
        told = "\n".join(text for name, text in self.blocks if name != "question").casefold()
        names = (n for t, columns in self.gold.used.items() for n in (t, *columns))
        return all(n.casefold() in told or n.replace("_", " ").casefold() in told for n in names)


@lru_cache(maxsize=64)
def _blocks(words: str) -> tuple[tuple[str, str], ...]:
    """What stands in the fences of a prompt, by name; its samples ask for the same again and again."""
    return tuple((name, text) for name, _, text in _FENCE.findall(words))


def _query(asked: _Asked) -> str:
    return _in_form(asked.kind, asked.query, asked.gold.schema.dialect)


def _revise(asked: _Asked) -> str:
    standing = asked.block("sql", "first_sql", "second_sql", "general_sql")
    query = asked.query
    if standing and query != asked.gold.sql and asked.draw.random() < REPEATS:
        query = asked.draw.choice(standing)
    return _in_form(asked.kind, query, asked.gold.schema.dialect)


def _act(asked: _Asked) -> str:
    """Execute a query; give it when it ran, else try another one."""
    tried = [json_object(m.text).get("action_input") for m in asked.messages if m.role == "assistant"]
    ran = bool(tried) and not re.search(r"error|no query", asked.messages[-1].text, re.IGNORECASE)
    action, given = ("final_answer", tried[-1]) if ran else ("execute_sql", asked.query)
    return json.dumps({"thought": "", "action": action, "action_input": given})


def _reason(asked: _Asked) -> str:
    """The steps of the query that the reply has in mind, where the prompt asks for reasons."""
    return reason_of(asked.query, asked.gold.schema.dialect) if asked.kind.reasons else ""


def _in_form(kind: Kind, sql: str, dialect: str) -> str:
    """A query as the prompt wants it, with the reasons that it asks for ahead of it."""
    reason = reason_of(sql, dialect) if kind.reasons else ""
    if kind.form == "json":
        return json.dumps({"reasoning": reason, kind.key: sql})
    if kind.form == "continue" and sql[:7].upper() == "SELECT ":
        return sql[7:]
    if kind.key == "#SQL:":
        return _in_sections(sql, reason, dialect)
    return f"{reason}\n\n{_marked(kind, sql)}" if reason else _marked(kind, sql)


def _marked(kind: Kind, sql: str) -> str:
    if kind.form == "mark":
        return f"{kind.key} {sql}"
    if kind.form == "tag":
        return f"<{kind.key}>\n{sql}\n</{kind.key}>"
    return f"```sql\n{sql}\n```"


def _in_sections(sql: str, reason: str, dialect: str) -> str:
    """A query after the sections in which OpenSearch-SQL has its parts named."""
    parts = anatomy(sql, dialect)
    told = {
        "#reason": reason,
        "#columns": ", ".join(parts.columns) if parts else "",
        "#values": " AND ".join(parts.conditions) if parts else "",
        "#SELECT": ", ".join(parts.selected) if parts else "",
        "#sketch": parts.sketch if parts else "",
        "#SQL": sql,
    }
    return "\n".join(f"{mark}: {text}" for mark, text in told.items())


def _under_key(kind: Kind, value: object, reason: str = "") -> str:
    return json.dumps({"reasoning": reason, kind.key: value} if kind.key else value)


def _links(asked: _Asked) -> str:
    needed = asked.needed
    if asked.kind.form == "mark":
        return f"{asked.kind.key} [{', '.join(f'{t}.{c}' for t, listed in needed.items() for c in listed)}]"
    columns = [f"{t}.`{c}`" for t, listed in needed.items() for c in listed]
    return json.dumps({"tables": list(needed), "columns": columns})


def _keep_or_drop(asked: _Asked) -> str:
    needed = asked.needed
    tables = [t.name for t in asked.gold.schema.tables]
    return json.dumps({t: "keep_all" if t in needed else "drop_all" for t in tables})


def _column(asked: _Asked) -> str:
    found = _COLUMN.search("\n".join(asked.block("column")))
    table, column = found.groups() if found else ("", "")
    needed = column in asked.gold.used.get(table, ())
    yes = needed is asked.rightly
    told = f"A query for the question {'reads' if yes else 'does without'} the {column} of {table}."
    return _under_key(asked.kind, "Yes" if yes else "No", told)


def _verdicts(asked: _Asked) -> str:
    """Each candidate passes where it is the gold query; a wrong reply says so of another one instead."""
    queries = _CANDIDATE.findall("\n".join(asked.block("candidates")))
    passed = [asked.gold.is_right(q) for q in queries]
    if not asked.rightly and queries:
        other = asked.draw.randrange(len(queries))
        passed = [i == other for i in range(len(queries))]
    lines = "\n".join(f"{i}: {'Passed' if ok else 'Failed'}" for i, ok in enumerate(passed, 1))
    return f"<answer>\n{lines}\n</answer>"


def _enough(asked: _Asked) -> str:
    right = any(asked.gold.is_right(sql) for sql in asked.block("refined_sql"))
    return "yes" if right is asked.rightly else "no"


def _keywords(asked: _Asked) -> str:
    tree = _tree(asked.gold.sql, asked.gold.schema.dialect)
    values = [v.this for v in tree.find_all(exp.Literal)] if isinstance(tree, exp.Expr) else []
    return json.dumps([*values, *re.findall(r"\w{4,}", asked.gold.question)])


def _class(asked: _Asked) -> str:
    """The class of the gold query, or another one."""
    tree = _tree(asked.gold.sql, asked.gold.schema.dialect)
    nested = isinstance(tree, exp.SetOperation) or len(list(tree.find_all(exp.Select))) > 1
    label = "NESTED" if nested else "NON-NESTED" if tree.find(exp.Join) else "EASY"
    others = [c for c in ("EASY", "NON-NESTED", "NESTED") if c != label]
    return f'Label: "{label if asked.rightly else asked.draw.choice(others)}"'


def _read(asked: _Asked) -> str:
    """What the query reads that is shown, told truly: there is hardly a way to get it wrong."""
    shown = asked.block("sql")[-1:]
    return json.dumps({t: list(c) for q in shown for t, c in used_by(asked.gold.schema, q).tables.items()})


def _cells(asked: _Asked) -> str:
    """The gold query's values for each of the columns; none where the reply is wrong."""
    values = json.loads(_keywords(asked)) if asked.rightly else []
    return json.dumps({c: values for block in asked.block("columns") for c in block.splitlines()})


def _words(asked: _Asked) -> str:
    """Words that aren't SQL: the question with its steps where it is to be put anew, or an answer."""
    reason = _reason(asked)
    if asked.kind.key == "enriched_question":
        return json.dumps({"reasoning": reason, asked.kind.key: f"{asked.gold.question} {reason}".strip()})
    said = reason or "It is in the rows."
    return _under_key(asked.kind, said) if asked.kind.form == "json" else said


_REPLIES: Mapping[Task, Callable[[_Asked], str]] = {
    "query": _query,
    "revise": _revise,
    "act": _act,
    "tables": lambda asked: _under_key(asked.kind, list(asked.needed), _reason(asked)),
    "columns": lambda asked: _under_key(asked.kind, asked.needed, _reason(asked)),
    "links": _links,
    "keep or drop": _keep_or_drop,
    "column": _column,
    "tests": lambda asked: '<answer>["The query keeps every condition of the question."]</answer>',
    "verdicts": _verdicts,
    "enough": _enough,
    "keywords": _keywords,
    "object": lambda asked: _under_key(asked.kind, [asked.gold.question]),
    "words": _words,
    "class": _class,
    "read": _read,
    "cells": _cells,
}


@lru_cache(maxsize=4096)
def _tree(sql: str, dialect: str) -> Any:
    """The syntax tree, or the text of what is no SQL."""
    try:
        return parse_one(sql, dialect=dialect)
    except SqlglotError:
        return sql
