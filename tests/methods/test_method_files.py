import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from fathom.databases import Database, connect
from fathom.errors import ConfigError, InputError
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method, step
from fathom.methods.registered_steps import find_step, registered_steps
from fathom.records import Draft, Question

METHOD = """
name = "careful"
summary = "One prompt, with what is known of each column."

[[steps]]
step = "continue_select"
style = "commented"
max_tokens = 99
"""


@pytest.fixture
def shop_of_one(tmp_path: Path) -> Iterator[Database]:
    with sqlite3.connect(tmp_path / "one.db") as made:
        made.execute("CREATE TABLE one (id INTEGER)")
    made.close()
    with connect(tmp_path / "one.db") as database:
        yield database


def test_a_method_is_composed_in_toml_and_runs(tmp_path: Path, shop_of_one: Database) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(METHOD)
    method = find_method(str(file))
    assert (method.name, method.asks_model) == ("careful", True)
    assert method.steps[0].known_settings["style"] == "commented"
    assert method.steps[0].known_settings["temperature"] == 0.0
    model = ScriptedModel.of("SELECT 1")
    draft = asyncio.run(run_method(method, Question("One?"), Context(shop_of_one, model=model)))
    assert draft.sql == "SELECT 1"
    assert model.script.requests[0].sampling.max_tokens == 99


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "can't be read as TOML"),
        ("stepps = []", "'stepps': is no field of a method. Did you mean 'steps'"),
        ("name = 3", "'name': must be text"),
        ("steps = []", "'steps': must be a list"),
        ("[[steps]]\nstyle = 'lines'", r"must name a step \(fathom methods steps\)"),
        ("[[steps]]\nstep = 'continue-selekt'", "Did you mean 'continue_select'"),
        ("[[steps]]\nstep = 'continue_select'\nstile = 'lines'", "no setting 'stile'. Did you mean 'style'"),
    ],
)
def test_a_faulty_file_says_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=said) as raised:
        find_method(str(file))
    assert "mine.toml" in str(raised.value)


def test_settings_are_the_keyword_parameters_of_a_step() -> None:
    @step("generation", calls="{samples}")
    async def write(draft: Draft, context: Context, *, samples: int = 3) -> Draft:
        return replace(draft, sql=f"SELECT {samples}")

    assert write.calls_shown == "3"
    more = write.using(samples=5)
    assert (more.calls_shown, dict(more.settings), dict(write.settings)) == ("5", {"samples": 5}, {})
    with pytest.raises(ConfigError, match=r"no setting 'sample'\. Did you mean 'samples'"):
        write.using(sample=5)


def test_a_step_has_one_name_everywhere(shop_of_one: Database) -> None:
    for name, one in registered_steps().items():
        assert name == one.name == one.function.__name__
    method = Method("one", (find_step("continue_select"),))
    context = Context(shop_of_one, model=ScriptedModel.of("SELECT 1"))
    draft = asyncio.run(run_method(method, Question("One?"), context))
    assert [s.name for s in draft.trace.steps] == ["continue_select"]


def test_a_module_is_registered_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("their_steps")

    async def write_theirs(draft: Draft, context: Context) -> Draft:
        return draft

    async def imported(draft: Draft, context: Context) -> Draft:
        return draft

    write_theirs.__module__ = "their_steps"
    vars(module).update(a=step("generation")(write_theirs), b=step("generation")(imported), c=1)
    monkeypatch.setattr("fathom.registry.names", lambda kind: ("theirs", "single"))
    loaded = {"theirs": module, "single": vars(module)["b"]}
    monkeypatch.setattr("fathom.registry.load", lambda kind, name: loaded[name])
    assert list(registered_steps.__wrapped__()) == ["imported", "write_theirs"]
    loaded["single"] = "no step"
    assert list(registered_steps.__wrapped__()) == ["write_theirs"]
