"""From a model's reply to SQL: one tolerant reader for each form that methods ask for.

Prose around the query, fences, a doubled SELECT, a trailing semicolon and a second statement are all expected
(specs/methods.md, section 9.2). Nothing here judges the SQL: the guard does, when it is run.
"""

import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.databases.parsing import parsed
from fathom.llm.prompts import DATA_RULE
from fathom.llm.replies import fenced, find_json

_STARTS = re.compile(
    r"\b(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?(?:\w+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])\s*(?:\([^()]*\)\s*)?AS\b)",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:can(?: ?not|['\u2019]t)|unable|not (?:able|allowed)|won['\u2019]t|will not|sorry|refuse)\b",
    re.IGNORECASE,
)
_IN_A_SENTENCE = re.compile(r"[^\W\d_][ \t]+$")
"""The end of what stands before a word that goes on a sentence: a letter and a blank."""


def find_sql(reply: str) -> str | None:
    """The query in a reply of any form: the last fence that holds one, else from its first SELECT on."""
    return fenced_sql(reply) or _statement(reply)


def fenced_sql(reply: str) -> str | None:
    """The query in the last fence that holds one; a query outside of fences is not taken."""
    return next((sql for block in reversed(fenced(reply)) if (sql := _statement(block))), None)


def sql_after(reply: str, marker: str) -> str | None:
    """The query after the last occurrence of a marker, such as "SQL:"; anywhere where there is no marker."""
    folded, wanted = reply.casefold(), marker.casefold()
    _, found, rest = reply, "", ""
    if (at := folded.rfind(wanted)) >= 0:
        found, rest = marker, reply[at + len(wanted) :]
    return find_sql(rest) if found else find_sql(reply)


def sql_in_tag(reply: str, tag: str) -> str | None:
    """The query between `<tag>` and `</tag>`, an open one to the end; anywhere where there is no tag."""
    inside = in_tag(reply, tag)
    return find_sql(inside) if inside is not None else find_sql(reply)


def in_tag(reply: str, tag: str) -> str | None:
    """Give the text in the last `<tag>...</tag>`, or None."""
    opened = reply.casefold().rfind(f"<{tag.casefold()}>")
    if opened < 0:
        return None
    inside = reply[opened + len(tag) + 2 :]
    closed = inside.casefold().find(f"</{tag.casefold()}>")
    return (inside if closed < 0 else inside[:closed]).strip()


def continued(reply: str, *, start: str = "SELECT") -> str | None:
    """The query of a reply that continues a prompt ending with SELECT, said again or not."""
    text = reply.strip()
    if not text or fenced(text) or _STARTS.match(text):
        return find_sql(text)
    whole = _statement(f"{start} {text}")
    if whole is None or _can_run(whole):
        return whole
    # Not a select list that goes on: prose around a query, a refusal, or a query that is broken.
    listed, goes_on, _ = text.casefold().partition(" from ")
    return find_sql(text) or (whole if goes_on and not _REFUSES.search(listed) else None)


def _can_run(sql: str) -> bool:
    """True if a text parses as a query whose columns come from somewhere: "sorry: no" is none."""
    tree = parsed(sql, "")
    return tree is not None and (tree.find(exp.From) is not None or tree.find(exp.Column) is None)


def sql_under(reply: str, *keys: str) -> str | None:
    """The query under the first of these keys of a JSON object; anywhere where there is no such object."""
    content = json_object(reply)
    for key in keys:
        value = content.get(key)
        if isinstance(value, str) and (found := find_sql(value)):
            return found
    return find_sql(reply) if not content else None


def json_object(reply: str) -> Mapping[str, Any]:
    """The JSON object in a reply, its keys as written; empty where there is none."""
    try:
        found = find_json(reply)
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def json_list(reply: str) -> list[Any]:
    """The list in a reply: alone, or the only list of a JSON object; empty where there is none."""
    try:
        found = find_json(reply)
    except ValueError:
        return []
    if isinstance(found, Mapping):
        lists = [v for v in found.values() if isinstance(v, list)]
        return lists[0] if len(lists) == 1 else []
    return found if isinstance(found, list) else []


def texts(value: object) -> list[str]:
    """The texts of a list as a model may write it: stripped, in order, once each; one text is a list."""
    listed = value if isinstance(value, list | tuple) else [value]
    return list(dict.fromkeys(v.strip() for v in listed if isinstance(v, str) and v.strip()))


def _statement(text: str) -> str | None:
    """The first statement that begins with SELECT or WITH, without what follows it."""
    for begins in _STARTS.finditer(text):
        sql = text[begins.start() :].strip()
        sql = _without_doubled_select(sql)
        sql = sql[: _first_end(sql)].strip().rstrip(";").strip()
        if sql and not _is_prose(text[: begins.start()], sql):
            return sql if DATA_RULE not in sql else None  # a prompt recited is no query
    return None


def _is_prose(before: str, sql: str) -> bool:
    """True if the keyword is a word of a refusal, "I cannot select rows from it", and begins no query."""
    if not (_IN_A_SENTENCE.search(before) and _REFUSES.search(before)):
        return False
    return not sql[:6].isupper() or not _can_run(sql)


def _without_doubled_select(sql: str) -> str:
    words = sql.split(None, 2)
    if len(words) > 1 and words[0].upper() == "SELECT" and words[1].upper() in {"SELECT", "WITH"}:
        return sql.split(None, 1)[1]
    return sql


def _first_end(sql: str) -> int:
    """Where the first statement ends: at a semicolon outside quotes and comments."""
    try:
        for token in tokenize(sql):
            if token.token_type is TokenType.SEMICOLON:
                return int(token.start)
    except SqlglotError:
        return len(sql)
    return len(sql)
