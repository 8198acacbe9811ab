"""A slip in a file of questions is an error that names the file; nothing is left untested in silence."""

from pathlib import Path

import pytest

from tests.offline.asked_files import Misread, read

TABLE = "CREATE TABLE shop (id INTEGER, name TEXT)"
SHOP = f"""
about: Shops.
databases:
  shop: {TABLE}
shop:
  what is counted:
    How many shops are there?: [[0]]
    shops: {{rows: [], not sql: [COUNT]}}
  what isn't clear:
    declined:
    - shops with a garden
no database:
  what stays:
    plain:
    - list shops
"""


def of(text: str, folder: Path) -> list[tuple[str, str, dict[str, object]]]:
    file = folder / "shops.yaml"
    file.write_text(text, encoding="utf-8")
    return [(c.given.name if c.given else "", c.name, dict(c.expected)) for c in read(file)]


def test_each_question_is_a_case_that_its_file_and_heading_name(tmp_path: Path) -> None:
    assert of(SHOP, tmp_path) == [
        ("shop", "shops: what is counted: How many shops are there?", {"rows": [[0]]}),
        ("shop", "shops: what is counted: shops", {"rows": [], "not sql": ["COUNT"]}),
        ("shop", "shops: what isn't clear: shops with a garden", {"declined": True}),
        ("", "shops: what stays: list shops", {"plain": "list shops"}),
    ]


def test_two_databases_are_asked_the_same(tmp_path: Path) -> None:
    more = f"{TABLE}\n  also: {{like: shop, sql: INSERT INTO shop VALUES (1)}}\nshop, also:"
    text = SHOP.replace(f"{TABLE}\nshop:", more)
    assert [given for given, _, _ in of(text, tmp_path)] == ["shop"] * 3 + ["also"] * 3 + [""]


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("rows: []", "lines: []", "nobody knows what 'lines' is"),
        ("rows: []", "rows: 3", "'rows' can't be 3"),
        ("[[0]]", "declind", "nobody knows what 'declind' is"),
        ("[[0]]", "{evidence: none}", "expects nothing"),
        ("shops: {", "How many shops are there?: {", "'How many shops are there\\?' stands twice"),
        ("\nshop:", "\nshops:", "asks of \\['shops'\\]"),
        ("\nno database:", "\nnowhere:", "asks of \\['nowhere'\\]"),
        ("databases:", "databases:\n  other: CREATE TABLE other (id INTEGER)", "nothing of .* \\['other'\\]"),
        ("about:", "subject:", "begins with no `about`"),
        ("    declined:\n    - shops with a garden", "  - shops", "what isn't clear: holds no questions"),
        ("\n    plain:", "\n    rows:", "'rows' can't be None"),
        (
            f": {TABLE}",
            ": {like: it, sql: A B}",
            "like none",
        ),
        (
            f": {TABLE}",
            ": {engine: it, sql: A}",
            "'engine'",
        ),
    ],
)
def test_a_slip_names_its_file(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    assert right in SHOP
    with pytest.raises(Misread, match=f"shops.yaml: .*{said}"):
        of(SHOP.replace(right, wrong, 1), tmp_path)
