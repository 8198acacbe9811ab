import json
from pathlib import Path
from typing import Any

import pytest
from tests.authoring.annotation.conftest import Team
from tests.reports.stored import make_run

from fathom.authoring.annotation import sources
from fathom.authoring.annotation.figures import figures
from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.history import AnnotationHistory, lines
from fathom.authoring.annotation.intake import take
from fathom.authoring.annotation.other_tools import argilla, label_studio
from fathom.authoring.annotation.records import Settling, WorkKind
from fathom.errors import InputError


def written(file: Path, *told: Any) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in told), encoding="utf-8")
    return file


def test_a_list_of_questions_in_three_forms(team: Team, tmp_path: Path) -> None:
    told = [
        {
            "id": "a",
            "question": "How many sales?",
            "database": "shop.sqlite",
            "gold": "SELECT 1",
            "hint": "count",
        },
        {"question": "How many cities?", "database": "shop.sqlite", "evidence": "a city is a row"},
    ]  # fmt: skip
    (tmp_path / "q.json").write_text(json.dumps(told), encoding="utf-8")
    text = "id,question,database,gold,hint\na,How many sales?,shop.sqlite,SELECT 1,count\n"
    (tmp_path / "q.csv").write_text(text, encoding="utf-8")
    for place, file in enumerate(
        (written(tmp_path / "q.jsonl", *told), tmp_path / "q.json", tmp_path / "q.csv")
    ):
        project = team.project(id=f"p{place}", databases={})
        take(team.reviews, project, sources.question_list(file))
        item = team.reviews.items(project.id)[0]
        assert (item.name, item.question, item.database) == ("a", "How many sales?", "shop")
        assert item.withheld == {"gold": ["SELECT 1"]}
        assert item.shown == {"hint": "count"}
        assert team.reviews.project(project.id).databases == {"shop": str(team.file.resolve())}
    with pytest.raises(InputError, match="question"):
        sources.question_list(written(tmp_path / "bad.jsonl", {"id": 1}))


def test_a_question_without_a_database_belongs_to_the_only_one(team: Team, tmp_path: Path) -> None:
    file = written(tmp_path / "q.jsonl", {"question": "How many?"})
    assert take(team.reviews, team.project(), sources.question_list(file)).added == 1
    both = team.project(id="two", databases={"shop": str(team.file), "other": "demo:biomed"})
    with pytest.raises(InputError, match="names no database"):
        take(team.reviews, both, sources.question_list(file))
    assert team.reviews.items("two") == []


def test_what_an_audit_found_is_one_item_a_question(team: Team, tmp_path: Path) -> None:
    found = {"id": "1", "question": "How many?", "database": "shop", "gold": "SELECT 1", "decision": None}
    file = written(
        tmp_path / "findings.jsonl",
        {**found, "kind": "gold_empty", "evidence": "no rows", "detail": {}},
        {**found, "kind": "methods_agree", "evidence": "2 of 3 runs agree: a, b",
         "detail": {"runs": ["a", "b"], "sql": "SELECT 2"}},
        {**found, "id": "2", "kind": "gold_fails", "evidence": "x", "decision": "gold_right"},
    )  # fmt: skip
    project = team.project(WorkKind.SUSPECT)
    assert take(team.reviews, project, sources.audit_findings(file)).added == 1
    [item] = team.reviews.items(project.id)
    assert item.shown["gold"] == ["SELECT 1"]
    assert [f["kind"] for f in item.shown["findings"]] == ["gold_empty", "methods_agree"]
    assert item.shown["findings"][1]["detail"] == {"sql": "SELECT 2"}


def test_only_where_runs_differ(team: Team, tmp_path: Path) -> None:
    for number, name in enumerate(("first", "second"), start=1):
        make_run(tmp_path / name, seed=number, count=30)
    found = sources.run_disagreements([tmp_path / "first", tmp_path / "second"])
    same = sources.run_disagreements([tmp_path / "first", tmp_path / "first"])
    assert 0 < len(found.items) < 30
    assert not same.items
    one = found.items[0]
    assert set(one.withheld) == {"gold", "predictions"}
    assert not one.shown
    with pytest.raises(InputError, match="two runs"):
        sources.run_disagreements([tmp_path / "first"])


def test_what_a_maker_put_before_people(team: Team, tmp_path: Path) -> None:
    shown = {"answerability": "every word is known", "decision": "", "reviewer": "", "note": ""}
    file = written(
        tmp_path / "review.jsonl",
        {"id": "a", "question": "Which?", "database": "shop", "tables": ["sale"], **shown},
        {"id": "b", "question": "What?", "database": "shop", **shown, "decision": "keep"},
    )
    project = team.project(WorkKind.QUESTION)
    assert take(team.reviews, project, sources.maker_questions(file.parent)).added == 1
    [item] = team.reviews.items(project.id)
    assert item.shown == {"tables": ["sale"], "answerability": "every word is known"}
    with pytest.raises(InputError, match="step `review`"):
        sources.maker_questions(tmp_path / "nothing")


def test_a_judges_verdicts_are_withheld_and_its_internals_are_not(tmp_path: Path) -> None:
    asked = {"question": "How many?", "sql": "SELECT 1", "rows": [[1]]}
    sentence = {
        "sentence": "There is one.", "inference": "false", "claims": [], "unread": [],
        "rounds": [{"inference": "false", "reason": "no", "schema_parts": 1, "answers": [asked]}],
    }  # fmt: skip
    file = written(
        tmp_path / "judged.jsonl",
        {"id": "a", "question": "How many?", "factual_correctness": 0.0, "sentences": [sentence]},
    )
    [item] = sources.answers(file).items
    assert item.shown == {
        "answer": "There is one.",
        "sentences": [{"sentence": "There is one.", "asked": [asked]}],
    }
    assert "false" not in json.dumps(item.shown)
    assert item.withheld["judged"]["factual_correctness"] == 0.0


def test_pairs_do_not_tell_whose_is_whose(tmp_path: Path) -> None:
    first = written(tmp_path / "one.jsonl", {"id": "a", "question": "How?", "answer": "So."})
    second = written(tmp_path / "two.jsonl", {"id": "a", "question": "How?", "answer": "Not so."})
    [item] = sources.answer_pairs(first, second).items
    assert item.shown == {"A": "So.", "B": "Not so."}
    assert "one.jsonl" in item.withheld["A"]


def part(control: str, kind: str, value: Any) -> dict[str, Any]:
    return {"from_name": control, "to_name": "text", "type": kind, "value": value}


LABEL_STUDIO = [
    {
        "id": number,
        "data": {"text": f"How many? {number}", "schema": "sale(id)"},
        "annotations": [
            {
                "id": 10 * number + who, "completed_by": who, "was_cancelled": False, "lead_time": 12.5,
                "result": [
                    part("verdict", "choices", {"choices": [said]}),
                    part("why", "textarea", {"text": ["clear"]}),
                ],
            }
            for who, said in ((1, "keep"), (2, "keep" if number % 4 else "drop"))
        ]
        + [{"id": 99, "completed_by": 3, "was_cancelled": True, "result": []}],
    }
    for number in range(1, 13)
]  # fmt: skip


def test_label_studio_comes_with_its_annotations(team: Team, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(LABEL_STUDIO), encoding="utf-8")
    project = team.project(WorkKind.QUESTION)
    fields = {"verdict": "decision", "why": "note"}
    taken = take(team.reviews, project, label_studio(file, project.kind, fields))
    assert (taken.added, taken.responses, taken.problems) == (12, 24, ())
    again = take(team.reviews, project, label_studio(file, project.kind, fields))
    assert (again.added, again.known, again.responses) == (0, 12, 0)
    assert advance(team.reviews, team.bench, project) == {"agreed": 9, "conflict": 3}
    told = figures(AnnotationHistory.of(lines(team.reviews, project)))
    assert told["labels"]["decision"]["exact"]["value"] == pytest.approx(0.75)
    assert told["annotators"]["A1"]["median_seconds"] == 12.5
    item = team.reviews.items(project.id)[0]
    assert item.shown == {"schema": "sale(id)"}


def test_what_does_not_fit_is_told_and_the_rest_is_taken(team: Team, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(LABEL_STUDIO[:4]), encoding="utf-8")
    project = team.project(WorkKind.QUESTION)
    taken = take(team.reviews, project, label_studio(file, project.kind, {"verdict": "decision"}))
    assert taken.responses == 7  # a question that is dropped needs a note, which is called `why` there
    assert len(taken.problems) == 1
    assert "4, annotator 2" in taken.problems[0]
    with pytest.raises(InputError, match="--field schema=question"):
        label_studio(written(tmp_path / "t.jsonl", {"id": 1, "data": {"schema": 3}}), project.kind)
    with pytest.raises(InputError, match="no task of Label Studio"):
        label_studio(written(tmp_path / "t.jsonl", {"id": 1}), project.kind)


@pytest.mark.parametrize("version", [1, 2])
def test_argilla_comes_with_its_responses(team: Team, tmp_path: Path, version: int) -> None:
    def responses(number: int) -> Any:
        said = {"u1": number % 3 + 1, "u2": number % 3 + 1, "u3": 1}
        ratings = [f"difficulty_{d}" for d in ("question", "knowledge", "data", "sql")]
        if version == 2:
            return {r: [{"value": v, "user_id": u} for u, v in said.items()] for r in ratings}
        given = [
            {"user_id": u, "status": "submitted", "values": {r: {"value": v} for r in ratings}}
            for u, v in said.items()
        ]
        return [*given, {"user_id": "u4", "status": "discarded", "values": {}}]

    told = [
        {"id": f"r{n}", "fields": {"text": f"How many? {n}"}, "metadata": {"source": "x"}, "suggestions": {},
         "responses": responses(n), "status": "completed"}
        for n in range(9)
    ]  # fmt: skip
    project = team.project(WorkKind.DIFFICULTY, people=3, settled_by=Settling.NONE)
    taken = take(team.reviews, project, argilla(written(tmp_path / "r.jsonl", *told), project.kind))
    assert (taken.added, taken.responses, taken.problems) == (9, 27, ())
    assert advance(team.reviews, team.bench, project) == {"merged": 9}
    told_figures = figures(AnnotationHistory.of(lines(team.reviews, project)))
    label = told_figures["labels"]["difficulty sql"]
    assert label["n"] == 9
    off = max(label["without"], key=lambda name: label["without"][name])
    assert label["without"][off] == 1.0
