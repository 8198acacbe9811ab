import json
from pathlib import Path

import pytest
from tests.command import Fathom

from fathom import registry
from fathom.llm import Cassette, ScriptedModel
from fathom.methods.registered_steps import registered_steps


def test_every_method_is_listed_with_its_modules_calls_and_provenance(fathom: Fathom) -> None:
    done = fathom("methods", "--json")
    listed = {m["name"]: m for m in json.loads(done.out)["methods"]}
    assert set(listed) == set(registry.names("methods"))
    assert listed["zero-shot"]["modules"] == ["generation"]
    assert listed["zero-shot"]["calls"] == "1-2"
    assert "BIRD" in listed["zero-shot"]["provenance"]
    assert listed["offline"]["calls"] == ""
    assert all(m["summary"] for m in listed.values())


@pytest.mark.parametrize("name", registry.names("methods"))
def test_every_method_is_drawn(fathom: Fathom, name: str) -> None:
    done = fathom("methods", "show", name)
    assert done.code == 0
    assert name in done.out


def test_what_differs_from_the_published_method_and_what_can_be_switched_on_is_told(fathom: Fathom) -> None:
    drawn = fathom("methods", "show", "e-sql").out
    assert "Other than published, on purpose:" in drawn
    assert "annotated by hand" in drawn
    assert "e-sql+QUIRK" in drawn
    told = json.loads(fathom("methods", "show", "e-sql", "--json").out)
    assert told["departures"] in " ".join(drawn.split())
    assert "needs_json" in told["quirks"]
    assert "Other than published" not in fathom("methods", "show", "adaptive").out


@pytest.mark.parametrize(
    ("name", "hint"),
    [("mac-sq", "'mac-sql'?"), ("chess", "'chess-ir-cg-ut' or 'chess-ir-ss-cg'?"), ("x", "There is: ")],
)
def test_a_method_that_is_not_there_names_the_likely_ones(fathom: Fathom, name: str, hint: str) -> None:
    done = fathom("methods", "show", name)
    assert done.code == 1
    assert hint in done.err


def test_every_step_says_what_it_does(fathom: Fathom) -> None:
    steps = json.loads(fathom("methods", "steps", "--json").out)["steps"]
    assert {s["step"] for s in steps} == set(registered_steps())
    assert [s["step"] for s in steps if not s["about"]] == []
    assert "continue_select" in fathom("methods", "steps").out


def test_a_method_without_its_model_says_what_to_do(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, "How many genes?", "--method", "zero-shot")
    assert done.code == 1
    assert "--model provider:name" in done.err


def test_a_question_is_answered_from_a_cassette(
    fathom: Fathom, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded of a scripted model under a provider's name is replayed without key or network."""
    tape = tmp_path / "tape.jsonl"
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ("ask", genes, "How many genes?", "--method=zero-shot", "--model=openai:gpt-5")
    missed = fathom(*asked, "--cassette", tape, "--replay")
    assert missed.code == 1
    _record(genes, tape)
    done = fathom(*asked, "--cassette", tape, "--replay", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["sql"] == "SELECT COUNT(*) FROM gene"
    assert found["answer"] == "There are 3."
    assert found["result"]["rows"] == [[3]]


def _record(genes: Path, tape: Path) -> None:
    import fathom as package
    from fathom.llm import Model

    scripted = ScriptedModel.of("SELECT COUNT(*) FROM gene", "There are 3.")
    cassette = Cassette(tape)
    model = Model("openai:gpt-5", cassette.record(scripted.exchange), closing=cassette.close)
    with model:
        package.ask("How many genes?", genes, method="zero-shot", model=model)
