from typing import Any

import pytest

from fathom.benchmarks.layouts.sql_eval import alternatives
from fathom.benchmarks.sql_text import pieces, statements, without_keyword


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", ("SELECT 1",)),
        ("SELECT 1; SELECT 2;", ("SELECT 1", "SELECT 2")),
        ("SELECT ';' ; SELECT 2", ("SELECT ';'", "SELECT 2")),
        ("SELECT 'it''s; fine'", ("SELECT 'it''s; fine'",)),
        ('SELECT "a;b" FROM `c;d`', ('SELECT "a;b" FROM `c;d`',)),
        ("SELECT 1 -- a; b\n; SELECT 2", ("SELECT 1 -- a; b", "SELECT 2")),
        ("SELECT /* ; */ 1;;", ("SELECT /* ; */ 1",)),
        ("SELECT $$a;b$$; SELECT 2", ("SELECT $$a;b$$", "SELECT 2")),
        ("SELECT [a;b] FROM t", ("SELECT [a;b] FROM t",)),
        ("SELECT 'never closed; SELECT 2", ("SELECT 'never closed", "SELECT 2")),
        (" ; ", ()),
    ],
)
def test_statements_end_at_semicolons_outside_literals(text: str, expected: Any) -> None:
    assert statements(text) == expected
    assert "".join(pieces(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT DISTINCT a", "SELECT  a"),
        ("SELECT count(distinct a)", "SELECT count( a)"),
        ("SELECT 'DISTINCT', \"distinct\" FROM t", "SELECT 'DISTINCT', \"distinct\" FROM t"),
        ("SELECT distinct_name FROM t", "SELECT distinct_name FROM t"),
    ],
)
def test_a_keyword_is_removed_only_where_it_is_code(text: str, expected: Any) -> None:
    assert without_keyword(text, "distinct") == expected


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("SELECT a FROM t;", ["SELECT a FROM t"]),
        ("SELECT a FROM t; SELECT b FROM t", ["SELECT a FROM t", "SELECT b FROM t"]),
        (
            "SELECT {a, b}, count(*) FROM t GROUP BY {}",
            [
                "SELECT a, count(*) FROM t GROUP BY a",
                "SELECT b, count(*) FROM t GROUP BY b",
                "SELECT a, b, count(*) FROM t GROUP BY a, b",
            ],
        ),
        ("SELECT {max(a, b), c} FROM t", [f"SELECT {c} FROM t" for c in ("max(a, b)", "c", "max(a, b), c")]),
        ("SELECT '{x}' FROM t WHERE a = ';'", ["SELECT '{x}' FROM t WHERE a = ';'"]),
    ],
)
def test_alternative_columns_stand_for_every_subset(gold: str, expected: Any) -> None:
    assert list(alternatives(gold)) == expected


@pytest.mark.parametrize("gold", ["SELECT {a FROM t", f"SELECT {{{', '.join('abcdefghijkl')}}} FROM t"])
def test_braces_that_cannot_be_read_are_told(gold: str) -> None:
    with pytest.raises(ValueError, match=r"brace|columns"):
        alternatives(gold)
