import pytest

from fathom.databases.value_formats import format_of

CASES: list[tuple[list[object], tuple[str, str | None, str | None]]] = [
    (["2024-01-31", "1999-12-01"], ("date", "%Y-%m-%d", None)),
    (["31/01/2024", "01/12/1999"], ("date", "%d/%m/%Y", None)),
    (["01/31/2024", "12/01/1999"], ("date", "%m/%d/%Y", None)),
    (["2024-01-31 10:00:00", "1999-12-01 23:59:59"], ("date", "%Y-%m-%d %H:%M:%S", None)),
    (["Jan 3, 2020", "Dec 31, 1999"], ("date", "%b %d, %Y", None)),
    ([19930101, 19981231, 19970228], ("date", "%Y%m%d", None)),
    ([19930101, 19930199], ("plain", None, None)),
    (["12", "-3.5", "1e-9"], ("number", None, None)),
    (["1,234,567", "12", "1,000.50"], ("thousands", None, None)),
    (["12 kg", "7.5 kg", "1,000 kg"], ("number_with_unit", "kg", None)),
    (["$1,000", "$12.50"], ("number_with_unit", "$", None)),
    (["1,200.50 USD", "900.00 USD"], ("number_with_unit", "USD", None)),
    (["45 %", "3%"], ("number_with_unit", "%", None)),
    (["5'11\"", "6'2\""], ("plain", None, None)),
    (["Y", "N"], ("boolean", None, None)),
    (["yes", "No"], ("boolean", None, None)),
    ([0, 1], ("boolean", None, None)),
    ([0, 1, 2], ("plain", None, None)),
    (['{"a": 1}', "[1, 2]"], ("json", None, None)),
    (["APOE;TREM2", "TREM2", "APP;APOE", "APP"], ("list", None, ";")),
    (["Action, Drama", "Drama", "Comedy, Action"], ("list", None, ",")),
    (["Paris, France", "Rome, Italy", "Lyon, France"], ("plain", None, None)),
    (["POPLATEK MESICNE", "POPLATEK TYDNE"], ("code", None, None)),
    (["rs429358", "rs7412"], ("code", None, None)),
    (["Ann", "Bo"], ("plain", None, None)),
    ([1.5, 2.5], ("plain", None, None)),
    ([" ", ""], ("plain", None, None)),
    ([], ("plain", None, None)),
]


@pytest.mark.parametrize(("values", "expected"), CASES, ids=[str(v)[:40] for v, _ in CASES])
def test_format(values: list[object], expected: tuple[str, str | None, str | None]) -> None:
    assert tuple(format_of(values, repeats=True))[:3] == expected
