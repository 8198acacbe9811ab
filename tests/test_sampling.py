"""A sample holds some of each kind, another at each commit, and the whole everything."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import sampling
from tests.data import ROOT
from tests.sampling import NO_COMMIT, Sample, changed, commit_key, held, parameters

KEYS = [f"{n:040x}" for n in range(40)]


class Case:
    """A collected test, as far as a sample looks at it."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator, **values: Any) -> None:
        self.nodeid, self._marks = nodeid, {m.name: m.mark for m in marks}
        self.callspec = SimpleNamespace(params=values)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._marks.get(name)


def kept(cases: list[Case], key: str) -> list[str]:
    is_held = held(cast("list[pytest.Item]", cases), Sample(key))
    return [case.nodeid for case, one in zip(cases, is_held, strict=True) if one]


def kind(values: Mapping[str, Any]) -> str:
    return str(values["about"])


def test_what_has_no_mark_always_runs() -> None:
    cases = [Case("a.py::test_x"), Case("a.py::test_y[1]", n=1)]
    assert kept(cases, "k") == ["a.py::test_x", "a.py::test_y[1]"]


def test_a_share_is_rounded_up_in_each_kind_and_keeps_the_order() -> None:
    mark = pytest.mark.share(0.3, kind=kind)
    cases = [Case(f"a.py::test_x[{n}]", mark, about="few" if n < 2 else "many") for n in range(12)]
    for key in KEYS:
        found = kept(cases, key)
        assert found == [c.nodeid for c in cases if c.nodeid in found]
        assert [sum(c.nodeid in found for c in part) for part in (cases[:2], cases[2:])] == [1, 3]


def test_a_share_is_of_each_test_alone() -> None:
    mark = pytest.mark.share(0.5)
    cases = [Case(f"a.py::test_{name}[{n}]", mark, n=n) for name in "xy" for n in range(4)]
    assert [name.partition("[")[0] for name in kept(cases, "k")] == ["a.py::test_x"] * 2 + [
        "a.py::test_y"
    ] * 2


def test_the_same_commit_draws_the_same_and_others_draw_everything_in_time() -> None:
    cases = [Case(f"a.py::test_x[{n}]", pytest.mark.share(0.2), n=n) for n in range(10)]
    assert kept(cases, KEYS[0]) == kept(cases, KEYS[0])
    assert {name for key in KEYS for name in kept(cases, key)} == {c.nodeid for c in cases}


def test_one_value_runs_beside_those_that_always_do_and_is_the_same_in_a_file() -> None:
    mark = pytest.mark.one_of("engine", beside=["SQLite"])
    cases = [
        Case(f"a.py::test_{name}[{engine}]", mark, engine=engine)
        for name in "xy"
        for engine in ("SQLite", "DuckDB", "MySQL")
    ] + [Case("a.py::test_z", mark)]
    drawn = {tuple(kept(cases, key)) for key in KEYS}
    assert drawn == {tuple(c.nodeid for c in cases if other not in c.nodeid) for other in ("DuckDB", "MySQL")}


def test_what_is_left_to_the_whole_runs_only_where_its_file_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        Case("a.py::test_x", pytest.mark.whole),
        Case("a.py::test_y", pytest.mark.whole(unless_changed="pyproject.toml")),
    ]
    for is_changed, found in ((True, ["a.py::test_y"]), (False, [])):
        monkeypatch.setattr(sampling, "changed", {"pyproject.toml": is_changed}.get)
        assert kept(cases, "k") == found


def test_a_set_gives_a_part_in_order_and_all_without_a_sample() -> None:
    assert Sample().of(range(7), 0.1) == [*range(7)]
    assert Sample().times(40, 0.1) == 40
    assert Sample("k").times(40, 0.1) == 4
    assert Sample("k").times(4, 0.1) == 1
    parts = [Sample(key).of("abcdefghij", 0.25) for key in KEYS]
    assert all(len(part) == 3 and part == sorted(part) for part in parts)
    assert {letter for part in parts for letter in part} == set("abcdefghij")
    assert Sample("k").of([1, 1, 1], 0.5) == [1, 1]
    assert len({str(Sample("k").of("abcdefghij", 0.3, about=page)) for page in KEYS}) > 1


def test_the_key_is_the_commit_that_is_checked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / ".git").exists():
        assert len(commit_key()) == 40
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert commit_key() == NO_COMMIT
    assert changed("what can't be known")
    monkeypatch.setenv("PATH", "/nowhere")
    assert commit_key() == NO_COMMIT


def test_parameters_are_those_of_the_case(request: pytest.FixtureRequest) -> None:
    assert parameters(request.node) == {}
