import json
from pathlib import Path

import pytest
from tests.authoring.annotation.conftest import Team, sql

from fathom.authoring.annotation.decisions import Ruling
from fathom.authoring.annotation.export import export, is_same
from fathom.authoring.annotation.figures import figures
from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.history import FILE, AnnotationHistory, lines
from fathom.authoring.annotation.records import Project, Settling, WorkKind
from fathom.authoring.annotation.responses import submitted
from fathom.benchmarks import load_benchmark
from fathom.errors import InputError
from fathom.evaluation.answers.pairs import AnswerPair, read_verdicts
from fathom.evaluation.scoring.files import score

COUNT, BY_JOIN, LUCKY, CITIES = (
    "SELECT COUNT(*)\nFROM sale -- all",
    "SELECT COUNT(*) FROM sale AS s JOIN city AS c ON c.id = s.city_id",
    "SELECT COUNT(buyer) FROM sale",
    "SELECT COUNT(*) FROM city",
)


@pytest.fixture
def worked(team: Team) -> tuple[Team, Project]:
    """Four equal pairs (one of them in text), one by luck, one different, one empty; two are decided."""
    project = team.project(title="The shop", guideline="Be *exact*.")
    easy, hard = [1, 1, 1, 1], [3, 3, 3, 3]
    for first, second in ((COUNT, BY_JOIN), (COUNT, f"{COUNT};"), (CITIES, "SELECT COUNT(id) FROM city")):
        team.both(project, sql(first, difficulty=easy), sql(second, difficulty=easy))
    team.both(project, sql(BY_JOIN, difficulty=hard, evidence="a sale is a row"), sql(COUNT, difficulty=hard))
    luck = team.both(project, sql(COUNT), sql(LUCKY))
    different = team.both(project, sql(COUNT), sql(CITIES))
    none = team.both(project, sql("SELECT id FROM sale WHERE id > 99"), {"unanswerable": "nothing is meant"})
    by_text = {r.submission.body["sql"]: r.submission.id for r in submitted(team.reviews, luck.id, 1)}
    Ruling(team.reviews, luck, team.people["eve"], "a sale counts").choose(team.bench, by_text[COUNT])
    Ruling(team.reviews, different, team.people["eve"], "mine").write(team.bench, sql(BY_JOIN))
    Ruling(team.reviews, none, team.people["eve"], "vague").drop()
    return team, project


def test_the_figures_are_what_was_said(worked: tuple[Team, Project]) -> None:
    team, project = worked
    told = figures(AnnotationHistory.of(lines(team.reviews, project, names=True)))
    results = told["results"]
    assert (results["pairs"]["hits"], results["pairs"]["n"]) == (4, 7)
    assert results["equal_on_the_database"]["hits"] == 5
    assert results["equal_by_luck"] == 1
    assert results["same_text"]["hits"] == 1
    assert results["classes"] == {"1": 4, "2": 3}
    assert {d: r["n"] for d, r in results["by_difficulty"].items()} == {
        "simple": 1, "moderate": 3, "not rated": 3,
    }  # fmt: skip
    assert told["states"] == {"dropped": 1, "settled": 6}
    assert told["decisions"] == {"agreed": 4, "chosen": 2, "dropped": 1}
    # Ben was wrong by luck and in counting cities; what is dropped tells nothing.
    assert {name: (r["hits"], r["n"]) for name, r in told["right"].items()} == {"ann": (6, 6), "ben": (4, 6)}
    answerable = told["labels"]["answerable"]
    assert answerable["n"] == 7
    assert answerable["exact"]["value"] == pytest.approx(6 / 7)
    assert told["labels"]["difficulty sql"]["alpha"]["value"] == 1.0
    assert "below 30" in told["note"]


def test_names_are_told_only_when_asked_for(worked: tuple[Team, Project]) -> None:
    team, project = worked
    without, named = (
        json.dumps(list(lines(team.reviews, project, names=n)), ensure_ascii=False) for n in (False, True)
    )
    people = [p for p in team.people.values() if p.name in ("ann", "ben", "eve")]
    assert all(f'"{p.name}"' in named for p in people)
    assert not any(f'"{p.name}"' in without or p.id in without for p in people)
    assert '"A1"' in without


def test_every_figure_is_computed_anew_to_the_digit(worked: tuple[Team, Project], tmp_path: Path) -> None:
    team, project = worked
    out = tmp_path / "out"
    export(team.reviews, team.bench, project, out)
    told, same = is_same(out)
    assert same
    assert told == json.loads((out / "agreement.json").read_text())
    lines_ = (out / FILE).read_text().splitlines()
    changed = [line.replace('"equal": false', '"equal": true') for line in lines_]
    (out / FILE).write_text("\n".join(changed) + "\n")
    assert not is_same(out)[1]
    (out / FILE).write_text("")
    with pytest.raises(InputError, match="no annotations"):
        is_same(out)
    with pytest.raises(InputError):
        is_same(tmp_path / "nothing")


@pytest.mark.parametrize("layout", ["fathom", "bird", "spider"])
def test_what_is_exported_is_a_benchmark(worked: tuple[Team, Project], tmp_path: Path, layout: str) -> None:
    team, project = worked
    out = tmp_path / "out"
    found = export(team.reviews, team.bench, project, out, layout=layout, databases=True)
    assert (found.written, found.left_out) == (6, {"dropped": 1})
    loaded = load_benchmark(str(out / "questions.jsonl" if layout == "fathom" else out))
    questions = list(loaded)
    assert len(questions) == 6
    assert all(Path(q.database).is_file() for q in questions)
    assert all(str(out) in q.database for q in questions)
    golds = {q.text: q.gold for q in questions}
    assert set(golds) == {"How many?"}
    if layout == "fathom":
        assert sorted(len(q.gold) for q in questions) == [1, 1, 2, 2, 2, 2]
    if layout != "spider":
        assert {q.evidence for q in questions} == {"", "a sale is a row"}
        hard = [q.difficulty for q in questions]
        assert (hard.count("simple"), hard.count("moderate"), hard.count("challenging"), hard.count("")) == (
            1, 3, 0, 2,
        )  # fmt: skip
    if layout != "fathom":
        schema = loaded.schemas()["shop"]
        assert [t.name for t in schema.tables] == ["city", "sale"]
        [key] = schema.foreign_keys
        assert (key.table, key.columns, key.target_table) == ("sale", ("city_id",), "city")
        [file] = out.glob("dev*.sql")
        assert [line.split("\t")[1] for line in file.read_text().splitlines()] == ["shop"] * 6
        assert "--" not in file.read_text()
    assert "| difficulty sql: Krippendorff's alpha | 1.000, N = " in (out / "README.md").read_text()
    assert (out / "guideline.md").read_text() == "Be *exact*."


def test_without_copies_questions_lead_to_the_database_where_it_is(
    worked: tuple[Team, Project], tmp_path: Path
) -> None:
    team, project = worked
    export(team.reviews, team.bench, project, tmp_path / "deep" / "out")
    questions = list(load_benchmark(str(tmp_path / "deep" / "out" / "questions.jsonl")))
    assert {Path(q.database).resolve() for q in questions} == {team.file.resolve()}


def test_each_ones_queries_are_predictions(worked: tuple[Team, Project], tmp_path: Path) -> None:
    team, project = worked
    out = tmp_path / "out"
    export(team.reviews, team.bench, project, out)
    told = {f.stem: score(out / "questions.jsonl", f) for f in sorted((out / "people").iterdir())}
    # Of six that weren't dropped Ben's fifth is right by luck alone, and his sixth counts cities.
    # The names in the files are drawn.
    assert sorted((one.correct, one.n, one.missing) for one in told.values()) == [(5, 6, 0), (6, 6, 0)]
    export(team.reviews, team.bench, project, tmp_path / "bird", layout="bird")
    assert not (tmp_path / "bird" / "people").exists()


def test_an_exam_is_a_benchmark_by_its_own_gold(team: Team, tmp_path: Path) -> None:
    exam = team.project(id="exam", people=0, pass_mark=1)
    team.add(exam, "How many?", "How many cities?", withheld={"gold": [COUNT]})
    for written in (BY_JOIN, CITIES):
        team.submit(exam, "ann", sql(written))
    assert export(team.reviews, team.bench, exam, tmp_path / "quiz").written == 2
    found = score(tmp_path / "quiz" / "questions.jsonl", tmp_path / "quiz" / "people" / "A1.jsonl")
    assert (found.correct, found.n) == (1, 2)


def test_an_ambiguous_question_has_all_its_readings(team: Team, tmp_path: Path) -> None:
    project = team.project()
    readings = [{"reading": "sales", "sql": COUNT}, {"reading": "cities", "sql": CITIES}]
    team.both(project, {"readings": readings}, {"readings": readings[::-1]})
    export(team.reviews, team.bench, project, tmp_path / "out")
    [question] = load_benchmark(str(tmp_path / "out" / "questions.jsonl"))
    assert sorted(question.gold) == sorted([COUNT, CITIES])
    assert question.tags == ("ambiguous",)
    [told] = map(json.loads, (tmp_path / "out" / "readings.jsonl").read_text().splitlines())
    assert {r["reading"] for r in told["readings"]} == {"sales", "cities"}


def test_what_people_prefer_is_read_where_models_preferences_are(team: Team, tmp_path: Path) -> None:
    project = team.project(WorkKind.PREFERENCE, settled_by=Settling.NONE)
    team.add(project, *(f"question {i}" for i in range(12)), shown={"A": "one", "B": "another"})
    for name in ("ann", "ben"):
        for _ in range(12):
            team.submit(project, name, {"verdict": "left"})
    advance(team.reviews, team.bench, project)
    export(team.reviews, team.bench, project, tmp_path / "out", names=True)
    pairs = [AnswerPair(i.name, i.question, "one", "another") for i in team.reviews.items(project.id)]
    given = {
        (r.person, i.name): {"AB": "A", "BA": "B"}[r.sides]
        for i in team.reviews.items(project.id)
        for r in submitted(team.reviews, i.id, 1)
    }
    files = sorted((tmp_path / "out" / "preferences").iterdir())
    read = [read_verdicts(file, pairs) for file in files]
    by_person = [
        {name: label for (who, name), label in given.items() if who == team.people[person].id}
        for person in ("ann", "ben")
    ]
    assert sorted(map(str, (dict(sorted(r.items())) for r in read))) == sorted(
        map(str, (dict(sorted(r.items())) for r in by_person))
    )
    assert set(read[0].values()) == {"A", "B"}
