"""Grids: what their cells share, which there are, what they are called, and what comes of failing ones."""

import json
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import make_benchmark
from tests.llm.hostile import Server

from fathom.errors import BudgetExceeded, ConfigError, InputError, UnknownName
from fathom.evaluation.runs.folder import DifferentRun
from fathom.evaluation.runs.grid import GridOutcome, RunGrid, read_grid, run_grid
from fathom.evaluation.runs.options import RunOptions

TOKENS = 128
"""Of each reply of the server."""


def written(folder: Path, text: str) -> Path:
    file = folder / "grid.toml"
    file.write_text(text, encoding="utf-8")
    return file


def asked(server: Server) -> int:
    return server.books["openai"].requests


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_benchmark(tmp_path)
    return tmp_path


def test_only_methods_that_ask_a_model_are_multiplied(folder: Path) -> None:
    file = written(
        folder,
        "methods = ['offline', 'zero-shot', 'nobody']\nmodels = ['openai:a', 'http://127.0.0.1:8000/v1#b']\n"
        "seeds = [1, 2]\nbenchmarks = ['genes.jsonl']",
    )
    cells = read_grid(file).cells
    assert [(c.method, c.model, c.options.get("seed")) for c in cells] == [
        ("offline", None, None),
        ("zero-shot", "openai:a", 1),
        ("zero-shot", "openai:a", 2),
        ("zero-shot", "http://127.0.0.1:8000/v1#b", 1),
        ("zero-shot", "http://127.0.0.1:8000/v1#b", 2),
        ("nobody", None, None),
    ]
    assert [c.name for c in cells] == [
        "genes-offline",
        "genes-zero-shot-openai-a-seed-1",
        "genes-zero-shot-openai-a-seed-2",
        "genes-zero-shot-127.0.0.1-8000-b-seed-1",
        "genes-zero-shot-127.0.0.1-8000-b-seed-2",
        "genes-nobody",
    ]


def test_a_benchmark_may_be_there_twice_with_other_options(folder: Path) -> None:
    twice = (
        "methods = ['offline']\n[[benchmarks]]\nname = 'genes.jsonl'\n[[benchmarks]]\nname = 'genes.jsonl'\n"
    )
    named = [c.name for c in read_grid(written(folder, twice + "with_examples = true")).cells]
    assert named == ["genes-offline", "genes-offline-with_examples"]
    given = read_grid(written(folder, twice + "evidence = 'none'\nschema = 'gold'"))
    assert given.cells[1].name == "genes-offline-evidence-none-schema-gold"
    told = [run.folder.joinpath("run.json").read_text("utf-8") for _, run in run(folder, given).runs]
    assert ['"evidence": "none"' in t for t in told] == [False, True]
    with pytest.raises(InputError, match="genes-offline twice"):
        read_grid(written(folder, twice))


def test_a_part_of_the_questions_is_chosen_in_the_file_or_beside_it(folder: Path) -> None:
    text = "methods = ['offline']\n[[benchmarks]]\nname = 'genes.jsonl'\nids = ['q1', 'q5']\n"
    text += "[[benchmarks]]\nname = 'genes.jsonl'\nsample = 2"
    grid = read_grid(written(folder, text))
    assert [c.name for c in grid.cells] == ["genes-offline-ids-q1-q5", "genes-offline-sample-2"]
    done = run(folder, grid)
    assert sorted(r.id for r in done.runs[0][1].records()) == ["q1", "q5"]
    given = read_grid(written(folder, "methods = ['offline']\nbenchmarks = ['genes.jsonl']"), {"sample": 3})
    ((_, made),) = run(folder / "given", given).runs
    assert len(list(made.records())) == 3


def test_what_is_given_holds_for_every_cell_whatever_the_file_says(folder: Path) -> None:
    file = written(
        folder,
        "methods = ['offline', 'zero-shot']\nmodels = ['openai:a']\nlimit = 9\nrpm = 5\nmax_tokens = 7\n"
        "cassette = 'tape.jsonl'\n[[benchmarks]]\nname = 'genes.jsonl'\nlimit = 8\nworkers = 3",
    )
    grid = read_grid(file)
    assert [c.options for c in grid.cells] == [{"limit": 8, "workers": 3}] * 2
    assert (grid.of_models, grid.pace) == ({"cassette": folder / "tape.jsonl"}, {"rpm": 5})
    given = read_grid(file, {"limit": 2, "tpm": 9.0, "max_tokens": 8, "cassette": Path("mine"), "seed": 4})
    assert [c.options for c in given.cells] == [{"limit": 2, "workers": 3, "seed": 4}] * 2
    assert (given.max_tokens, given.pace) == (8, {"rpm": 5, "tpm": 9.0})
    assert given.of_models == {"cassette": Path("mine")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("methods = ['offline']\nmodels = ['openai:a']\nbenchmarks = ['b']", "asks a language model"),
        ("methods = ['offline']\nbenchmarks = []", "at least one method and one benchmark"),
        ("methods = ['offline']\nreplay = true\nbenchmarks = ['b']", "needs a cassette"),
        ("methods = ['offline']\nseeds = ['1']\nbenchmarks = ['b']", "list of whole numbers"),
        ("methods = ['offline']\nmax_token = 1\nbenchmarks = ['b']", "max_tokens"),
        ("methods = ['offline']\nevidence = 'some'\nbenchmarks = ['b']", "must be given or none"),
        ("methods = ['offline']\nrpm = true\nbenchmarks = ['b']", "must be float"),
        ("methods = ['offline']\nbenchmarks = [1]", "must name a benchmark"),
        ("methods = ['offline']\n[[benchmarks]]\nsplit = 'dev'", "is missing"),
    ],
)
def test_a_grid_that_cannot_be_says_where(folder: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_grid(written(folder, text))


def run(folder: Path, grid: RunGrid) -> GridOutcome:
    return run_grid(grid, folder / "out")


def of_models(folder: Path, server: Server, more: str = "", methods: str = "'zero-shot-cot'") -> RunGrid:
    models = f"['{server.openai}#a', '{server.openai}#b']"
    text = f"methods = [{methods}]\nmodels = {models}\nlimit = 4\n{more}\nbenchmarks = ['genes.jsonl']"
    return read_grid(written(folder, text))


def test_one_budget_is_for_all_cells_and_counts_what_their_records_hold(folder: Path) -> None:
    with Server() as server:
        limited = f"max_tokens = {6 * TOKENS}"
        done = run(folder, of_models(folder, server, limited))
        assert asked(server) == 6
        assert [c.name[-1] for c, _ in done.runs] == ["a"]
        (cell, error) = done.failed[0]
        assert isinstance(error, BudgetExceeded)
        assert "2 of 4 questions are kept" in error.__notes__[0]
        # Started again, it asks nothing more; with a greater budget it goes on from there.
        again = run(folder, of_models(folder, server, limited))
        assert asked(server) == 6
        assert [c for c, _ in again.failed] == [cell]
        rest = run(folder, of_models(folder, server, f"max_tokens = {9 * TOKENS}"))
        assert asked(server) == 8
        assert not rest.failed


def test_all_cells_share_a_cassette_and_are_replayed_from_it(folder: Path) -> None:
    with Server() as server:
        recorded = run(folder, of_models(folder, server, "cassette = 'tape.jsonl'"))
        assert asked(server) == 8
        replaying = of_models(folder, server, "cassette = 'tape.jsonl'\nreplay = true")
    replayed = run_grid(replaying, folder / "replayed")
    assert not recorded.failed
    assert not replayed.failed
    sqls = [[[r.sql for r in made.records()] for _, made in d.runs] for d in (recorded, replayed)]
    assert sqls[0] == sqls[1]


def test_seeds_and_reply_tokens_reach_the_model_and_make_another_run(folder: Path) -> None:
    with Server() as server:
        grid = of_models(folder, server, "cassette = 'tape.jsonl'\nseed = 5\nreply_tokens = 3000")
        done = run(folder, grid)
    lines = [json.loads(line) for line in (folder / "tape.jsonl").read_text().splitlines()]
    assert {line["request"]["sampling"]["seed"] for line in lines} == {5}
    assert {line["request"]["sampling"]["max_tokens"] for line in lines} == {3000}
    kept = json.loads((done.runs[0][1].folder / "run.json").read_text())["configuration"]
    assert kept["settings"]["sampling"] == {"seed": 5, "reply_tokens": 3000}
    assert kept["seed"] == 5
    other = run(folder, of_models(folder, server, "seed = 5"))
    assert all(isinstance(error, DifferentRun) for _, error in other.failed)
    assert len(other.failed) == 2


def test_a_failing_cell_keeps_no_other_from_running(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fathom.evaluation.runs import grid as module
    from fathom.evaluation.runs import run as one_run

    evaluate = one_run.evaluate

    def faulty(benchmark: str, method: str, options: RunOptions) -> object:
        if method == "zero-shot-cot":
            raise ZeroDivisionError("a fault of a plug-in")
        return evaluate(benchmark, method, options)

    monkeypatch.setattr(module, "evaluate", faulty)
    text = "methods = ['zero-shot-cot', 'nobody', 'offline']\nlimit = 2\nbenchmarks = ['genes.jsonl']"
    done = run(folder, read_grid(written(folder, text)))
    assert [c.name for c, _ in done.runs] == ["genes-offline"]
    assert [type(error) for _, error in done.failed] == [ZeroDivisionError, UnknownName]


def test_a_pace_must_be_above_nothing(folder: Path) -> None:
    text = "methods = ['offline']\nrequests = 0\nbenchmarks = ['genes.jsonl']"
    with pytest.raises(ConfigError, match="--requests must be above 0"):
        run(folder, read_grid(written(folder, text)))


def test_requests_at_once_are_as_many_as_allowed(folder: Path) -> None:
    with Server() as server:
        run(folder, of_models(folder, server, "requests = 2\nworkers = 4"))
        assert server.books["openai"].most_under_way == 2
