"""From a model's reply to SQL: one tolerant reader for each form that methods ask for.

Prose around the query, fences, a doubled SELECT, a trailing semicolon and a second statement are expected;
`reply_queries` finds the query among them. Nothing here judges the SQL: the
guard does, when it is run.
"""

import re
from collections.abc import Mapping
from typing import Any

from fathom.llm.prompts import DATA_RULE
from fathom.llm.replies import fenced, find_json
from fathom.nl2sql.reply_queries import ReplyQuery, answer, can_run, queries, refuses

_SELECT = re.compile(r"\(*\s*(?:SELECT|WITH)\b", re.IGNORECASE)


def find_sql(reply: str) -> str | None:
    """The query in a reply of any form, the last of several; None in a refusal."""
    return _own(queries(reply))


def fenced_sql(reply: str) -> str | None:
    """The query in the last fence that holds one; a query outside of fences is not taken."""
    return _own([q for q in queries(reply) if q.fenced])


def _own(found: list[ReplyQuery]) -> str | None:
    return answer([q for q in found if DATA_RULE not in q.sql])  # a prompt recited is no query


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
    if not text or fenced(text) or _SELECT.match(text):
        return find_sql(text)
    whole = find_sql(f"{start} {text}")
    if whole is not None and can_run(whole):
        return whole
    # Not a select list that goes on: prose around a query, a refusal, or a query that is broken.
    listed, goes_on, _ = text.casefold().partition(" from ")
    return find_sql(text) or (whole if goes_on and not refuses(listed) else None)


def sql_under(reply: str, *keys: str) -> str | None:
    """The query under the first of these keys of a JSON object that holds one, else anywhere."""
    content = json_object(reply)
    for key in keys:
        value = content.get(key)
        if isinstance(value, str) and (found := find_sql(value)):
            return found
    return find_sql(reply)


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
    """The texts of a list as a model may write it: stripped, in order, once each; one text is a list.

    Of an object in the list the first text counts: {"column": "name", "rank": 1} is a name.
    """
    listed = value if isinstance(value, list | tuple) else [value]
    first = (next(filter(_is_text, v.values()), None) if isinstance(v, dict) else v for v in listed)
    return list(dict.fromkeys(v.strip() for v in first if isinstance(v, str) and v.strip()))


def _is_text(value: object) -> bool:
    return isinstance(value, str)
