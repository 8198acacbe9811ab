"""Two systems' answers side by side: people's files, a scripted judge, and the figures of both."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import BudgetExceeded, InputError
from fathom.evaluation.answers.pairs import (
    NO_ANSWER,
    Answered,
    AnswerPair,
    pair_up,
    read_answers,
    read_verdicts,
    write_queue,
)
from fathom.evaluation.answers.preferences import Preferences, prefer_by_model
from fathom.evaluation.metrics import NothingInCommon
from fathom.evaluation.runs.folder import RunError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.llm import Budget, Cassette, Model, ScriptedModel
from fathom.records import Draft, Question
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

N = 12


def answers(folder: Path, name: str) -> Path:
    file = folder / f"{name}.jsonl"
    rows = [
        {"id": f"q{n}", "question": f"What is {n}?", "answer": f"{name} says {n} of q{n}"} for n in range(N)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return answers(tmp_path, "tool"), answers(tmp_path, "plain")


@pytest.fixture
def pairs(files: tuple[Path, Path]) -> list[AnswerPair]:
    return pair_up(read_answers(files[0]), read_answers(files[1]), ("tool", "plain"))


def fond_of(word: str, unless: str = "never") -> ScriptedModel:
    """A judge that prefers the side whose answer holds a word."""

    def line(request: Any) -> str:
        prompt = request.messages[-1].text
        left = prompt.index(f"{word} says") < prompt.index(("plain" if word == "tool" else "tool") + " says")
        verdict = "both_bad" if f"{unless}?" in prompt else "left" if left else "right"
        return json.dumps({"verdict": verdict, "reason": "as it stands"})

    return ScriptedModel.of(*[line] * N * 3)


def test_sides_are_mixed_and_labels_say_whose_it_was(pairs: list[AnswerPair]) -> None:
    turned = [pair.turned for pair in pairs]
    assert 2 < sum(turned) < N - 2
    for pair in pairs:
        left = pair.sides[0]
        assert pair.label("left") == ("A" if left.startswith("tool") else "B")
        assert pair.label("right") != pair.label("left")
        assert pair.label("both_bad") == "both_bad"


def test_a_judge_model_is_asked_without_knowing_whose_is_which(
    pairs: list[AnswerPair], tmp_path: Path
) -> None:
    model = fond_of("tool", unless="3")
    labels = prefer_by_model(pairs, tmp_path / "kept.jsonl", model)
    assert labels == {pair.id: "both_bad" if pair.id == "q3" else "A" for pair in pairs}
    counted, rate = Preferences({"judge": labels}).of("judge")
    assert (counted.first, counted.second, counted.both_bad, counted.n) == (N - 1, 0, 1, N)
    assert counted.win_rate == rate.value == pytest.approx((N - 0.5) / N)


def test_a_killed_command_goes_on_and_asks_changed_pairs_anew(
    pairs: list[AnswerPair], tmp_path: Path
) -> None:
    file = tmp_path / "kept.jsonl"
    with pytest.raises(BudgetExceeded):
        prefer_by_model(pairs, file, fond_of("tool").within(Budget(calls=4)))
    kept = len(file.read_text(encoding="utf-8").splitlines())
    assert 1 <= kept <= 4
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"id": "q9", "ver')
    again = fond_of("tool")
    assert len(prefer_by_model(pairs, file, again)) == N
    assert len(again.prompts) == N - kept
    changed = [AnswerPair(p.id, p.question, p.first, p.second + "!") if p.id == "q5" else p for p in pairs]
    once = fond_of("plain")
    assert prefer_by_model(changed, file, once)["q5"] == "B"
    assert len(once.prompts) == 1


def test_another_model_and_a_damaged_line_are_refused(pairs: list[AnswerPair], tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text('{"id": "q1", "verdict": "left", "model": "other:judge"}\n', encoding="utf-8")
    with pytest.raises(RunError, match="Move it away"):
        prefer_by_model(pairs, file, fond_of("tool"))
    file.write_text('{"id": "q1", "verdict": "neither", "model": "scripted"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="delete this line"):
        prefer_by_model(pairs, file, fond_of("tool"))


def test_what_a_model_leaves_open_is_no_verdict(pairs: list[AnswerPair], tmp_path: Path) -> None:
    model = ScriptedModel.of(*["I like both"] * N * 5)
    assert prefer_by_model(pairs, tmp_path / "kept.jsonl", model) == {}
    assert Preferences({"judge": {}}).win_rate is None


def fill(file: Path, verdicts: dict[str, str]) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["verdict"] = verdicts.get(row["id"], "")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_a_persons_file_is_added_to_and_never_rewritten(pairs: list[AnswerPair], tmp_path: Path) -> None:
    file = tmp_path / "anna.jsonl"
    assert write_queue(pairs[:8], file) == 8
    fill(file, {"q0": "left", "q1": "both_good"})
    before = file.read_text(encoding="utf-8")
    assert write_queue(pairs, file) == N - 8
    assert file.read_text(encoding="utf-8").startswith(before)
    assert set(json.loads(before.splitlines()[0])) == {"id", "question", "left", "right", "verdict"}
    assert read_verdicts(file, pairs) == {"q0": pairs[0].label("left"), "q1": "both_good"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": "q1", "verdict": "A"}, "one of left, right"),
        ({"id": "elsewhere", "verdict": "left"}, "no question that both answered"),
        ({"id": "q1", "verdict": "left", "left": "x", "right": "y"}, "other answers"),
    ],
)
def test_what_is_wrong_in_a_persons_file_is_told(
    pairs: list[AnswerPair], tmp_path: Path, line: dict[str, str], told: str
) -> None:
    file = tmp_path / "ben.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=told) as raised:
        read_verdicts(file, pairs)
    assert raised.value.line == 1


def test_agreement_is_on_what_both_labelled() -> None:
    # By hand: alike on 3 of 4; by their margins alike by chance in (2*2 + 1*2) of 16.
    ours = {"a": "A", "b": "A", "c": "both_bad", "d": "B", "e": "A"}
    theirs = {"a": "A", "b": "A", "c": "both_bad", "d": "both_bad"}
    found = Preferences({"anna": ours, "ben": theirs})
    (both,) = found.agreements()
    assert (both["n"], both["exact"]) == (4, 0.75)
    assert both["kappa"] == pytest.approx((0.75 - 6 / 16) / (1 - 6 / 16))
    assert found.win_rate == pytest.approx(((3 + 0.5) / 5 + (2 + 1) / 4) / 2)
    assert found.alpha is not None
    assert 0 < found.alpha < 1


def test_pairs_need_words_and_common_questions(tmp_path: Path, files: tuple[Path, Path]) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"id": "q1", "answer": ""}\n', encoding="utf-8")
    with pytest.raises(InputError, match="has no answers"):
        read_answers(empty)
    with pytest.raises(NothingInCommon):
        pair_up({"x": Answered("", "a")}, {"y": Answered("", "b")}, ("x", "y"))
    silent = pair_up({"x": Answered("Q", "a")}, {"x": Answered("", "")}, ("x", "y"))
    assert NO_ANSWER in silent[0].sides


def test_the_command_takes_runs_people_and_a_judge(
    tmp_path: Path, files: tuple[Path, Path], fathom: Fathom
) -> None:
    run = partial(fathom, "prefer")
    both = tuple(map(str, files))
    assert run(*both)[0] == 1
    for person in ("anna", "ben"):
        code, out, _ = run(*both, "--queue", str(tmp_path / f"{person}.jsonl"))
        assert code == 0
        assert f"{N} of {N} pairs" in out
    known = pair_up(read_answers(files[0]), read_answers(files[1]), ("", ""))
    for_tool = {p.id: "right" if p.turned else "left" for p in known}
    fill(tmp_path / "anna.jsonl", for_tool)
    fill(tmp_path / "ben.jsonl", {**for_tool, "q0": "both_good"})
    people = ("--people", str(tmp_path / "anna.jsonl"), "--people", str(tmp_path / "ben.jsonl"))
    told = json.loads(run(*both, *people, "--json")[1])
    assert told["annotators"]["anna"]["A"] == N
    assert told["annotators"]["ben"]["adjusted"] == [N - 0.5, 0.5]
    assert told["win_rate"] == pytest.approx((1 + (N - 0.5) / N) / 2)
    assert told["agreement"][0]["exact"] == pytest.approx((N - 1) / N)
    shown = run(*both, *people)[1]
    assert f"anna: A {N}, B 0" in shown
    assert "Krippendorff's alpha" in shown


def test_the_command_replays_a_judge(
    tmp_path: Path, files: tuple[Path, Path], pairs: list[AnswerPair], fathom: Fathom
) -> None:
    tape = tmp_path / "judge.cassette"
    recording = Cassette(tape)
    judge = Model("openai:judge", recording.record(fond_of("tool").exchange), tools=True)
    prefer_by_model(pairs, tmp_path / "recorded.jsonl", judge)
    recording.close()
    words = ("prefer", *files, "--model", "openai:judge", "--cassette", tape, "--replay")
    code, out, _ = fathom(*words, "--out", tmp_path / "kept.jsonl", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["annotators"]["openai:judge"]["A"] == told["pairs"] == N
    assert told["annotators"]["openai:judge"]["interval"] == [1.0, 1.0]


def test_runs_whose_method_answers_in_words_are_taken(tmp_path: Path) -> None:
    def answered(question: Question) -> Draft:
        return Draft(question).with_findings(answer=f"Of {question.text}")

    done = evaluate(make_benchmark(tmp_path, 3), answered, RunOptions(out=tmp_path / "run"))
    found = read_answers(done.folder)
    assert found["q1"] == Answered("What is gene 1 called?", "Of What is gene 1 called?")
