import gzip
import json
from pathlib import Path

import pytest
import yaml

from fathom.nl2sql import reply_queries
from fathom.nl2sql.replies import continued, find_sql, json_list, sql_after, sql_in_tag, sql_under, texts


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT 1;", "SELECT 1"),
        ("Here you are:\n```sql\nSELECT a\nFROM t\n```\nHope it helps.", "SELECT a\nFROM t"),
        ("```sql\nSELECT 1\n```\nbetter:\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```python\nprint(1)\n```\nso SELECT 3", "SELECT 3"),
        ("```sql\nSELECT 4", "SELECT 4"),
        ("The answer is SELECT SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT 1; DROP TABLE t", "SELECT 1"),
        ("SELECT ';' FROM t; SELECT 2", "SELECT ';' FROM t"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x"),
        ("I can't answer that.", None),
        ("I'm sorry, but I can't help with that request.", None),
        ("I cannot select rows from the table patients, for it holds private data.", None),
        ("As an AI I won\u2019t SELECT anything like that.", None),
        ("I can't be sure of it, but try SELECT a FROM t", "SELECT a FROM t"),
        ("I can't select from it as it is. Instead:\nselect a from t", "select a from t"),
        ("the query is select a from t", "select a from t"),
        ("with x as (select 1) select * from x", "with x as (select 1) select * from x"),
        (
            'WITH RECURSIVE "n" (i) AS (SELECT 1) SELECT i FROM "n"',
            'WITH RECURSIVE "n" (i) AS (SELECT 1) SELECT i FROM "n"',
        ),
        ("", None),
        ("```sql\n```", None),
        ("SELECT 'open", "SELECT 'open"),
    ],
)
def test_a_query_is_found_in_any_reply(reply: str, sql: str | None) -> None:
    assert find_sql(reply) == sql


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        (" name FROM t", "SELECT name FROM t"),
        ("SELECT name FROM t", "SELECT name FROM t"),
        ("select select name FROM t", "select name FROM t"),
        ("```sql\nSELECT name FROM t\n```", "SELECT name FROM t"),
        (
            "COUNT(*) FROM t WHERE x IN (SELECT y FROM u)",
            "SELECT COUNT(*) FROM t WHERE x IN (SELECT y FROM u)",
        ),
        ("sorry:\nno", None),
        ("Sorry, I cannot select data from this database.", None),
        ("I'm unable to answer: nothing of that is told from any table.", None),
        ("a, b FROM t WHERE (note = 'can''t'", "SELECT a, b FROM t WHERE (note = 'can''t'"),
        ("1 + 1", "SELECT 1 + 1"),
        ("Sure, here it is:\nSELECT name FROM t", "SELECT name FROM t"),
        ("", None),
    ],
)
def test_a_reply_continues_select(reply: str, sql: str | None) -> None:
    assert continued(reply) == sql


def test_forms_with_a_place_for_the_query() -> None:
    assert sql_after("Links: SELECT 1\nSQL: SELECT 2", "SQL:") == "SELECT 2"
    assert sql_after("sql: select 2", "SQL:") == "select 2"
    assert sql_after("no marker, SELECT 3", "SQL:") == "SELECT 3"
    assert sql_in_tag("SELECT 0 <answer>SELECT 1</answer>", "answer") == "SELECT 1"
    assert sql_in_tag("<ANSWER>SELECT 1", "answer") == "SELECT 1"
    assert sql_in_tag("SELECT 5", "answer") == "SELECT 5"
    assert sql_under('{"reasoning": "x", "SQL": "SELECT 1"}', "sql", "SQL") == "SELECT 1"
    assert sql_under('```json\n{"sql": "SELECT 1",}\n```', "sql") == "SELECT 1"
    assert sql_under('{"reasoning": "SELECT is of no use"}', "sql") is None
    assert json_list("['a', 'b']") == ["a", "b"]
    assert json_list('{"tables": ["a"]}') == ["a"]
    assert json_list("none") == []
    assert texts([{"column": "a", "rank": 1}, " b ", {"rank": 2}, "a"]) == ["a", "b"]


def test_no_form_of_a_reply_loses_its_query_or_makes_one_of_a_refusal() -> None:
    forms = yaml.safe_load(Path(__file__).with_name("reply_forms.yaml").read_text(encoding="utf-8"))
    read = [{"reply": form["reply"], "sql": find_sql(form["reply"])} for form in forms]
    assert read == forms


def test_no_real_reply_of_a_small_model_loses_its_query() -> None:
    """Replies of Qwen2.5-Coder-0.5B to a dozen kinds of prompts and to those of the published methods."""
    with gzip.open(Path(__file__).with_name("real_replies.jsonl.gz"), "rt", encoding="utf-8") as lines:
        replies = [json.loads(line) for line in lines]
    read = [{"reply": r["reply"], "sql": find_sql(r["reply"])} for r in replies]
    assert len(replies) > 100
    assert [r for r, was in zip(read, replies, strict=True) if r != was] == []


@pytest.mark.parametrize(
    "reply",
    [
        "You can select rows from the table. " * 800,
        "SELECT a FROM t WHERE (\n" * 400,
        "(" * 400 + "SELECT 1",
        '{"sql": "' + 'SELECT a FROM t WHERE x = \\"y\\" AND ' * 500,
        "WITH a AS (" * 300,
    ],
)
def test_a_reply_that_is_no_query_ends_its_reading(reply: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def counted(text: str) -> bool:
        parsed.append(len(text))
        return False

    monkeypatch.setattr(reply_queries, "can_run", counted)
    find_sql(reply)
    assert sum(parsed) < 250_000
