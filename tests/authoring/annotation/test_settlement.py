from typing import Any

import pytest
from tests.authoring.annotation.conftest import Team, sql

from fathom.authoring.annotation.decisions import Ruling, comparisons
from fathom.authoring.annotation.difficulty import ranked
from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.queue import next_work
from fathom.authoring.annotation.records import (
    DecisionKind,
    PersonRole,
    ReviewRefused,
    Settling,
    WorkKind,
)
from fathom.authoring.annotation.responses import add_comment, executions, save, submitted
from fathom.authoring.annotation.view import work_view
from fathom.errors import InputError

COUNT = "SELECT COUNT(*) FROM sale"
BY_JOIN = "SELECT COUNT(*) FROM sale AS s JOIN city AS c ON c.id = s.city_id"
BY_BUYER = "SELECT COUNT(buyer) FROM sale"
"""Equal on the shop's data, where every sale has a buyer."""


def test_equal_results_become_gold_with_the_other_query_as_a_second_one(team: Team) -> None:
    project = team.project()
    team.add(project, "How many sales are there?")
    item = team.both(project, sql(COUNT, difficulty=[1, 1, 1, 1]), sql(BY_JOIN, difficulty=[1, 2, 1, 3]))
    assert item.decision is not None
    assert item.decision.kind is DecisionKind.AGREED
    assert sorted(item.decision.body["golds"]) == sorted([COUNT, BY_JOIN])
    assert item.decision.body["difficulty"] == [1, 1.5, 1, 2]
    assert item.state == "settled"
    kept = [v.copy for _, v in comparisons(team.reviews, item.id)]
    assert kept == [0, 1, 2]
    ran = executions(team.reviews, item.decision.response or 0)
    assert [(e.copy, e.rows[0][0] == 60) for e in ran] == [(0, True), (1, False), (2, False)]


def test_the_faster_of_two_equal_queries_is_gold(team: Team) -> None:
    slow = "SELECT COUNT(*) FROM sale WHERE id IN (SELECT a.id FROM sale a, sale b, sale c)"
    project = team.project()
    for one, other in ((slow, COUNT), (COUNT, slow)):
        item = team.both(project, sql(one), sql(other))
        assert item.decision is not None
        assert item.decision.body["golds"] == [COUNT, slow]
        assert len(item.decision.body["times_as_fast"]) == 1


def test_equal_by_luck_is_a_conflict(team: Team) -> None:
    project = team.project()
    team.add(project, "How many sales are there?")
    item = team.both(project, sql(COUNT), sql(BY_BUYER))
    assert item.is_conflict
    found = {v.copy: v.equal for _, v in comparisons(team.reviews, item.id)}
    assert found[0]
    assert not found[2]
    assert item.decision is not None
    assert "changed copy" in item.decision.reason


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (sql(COUNT), sql("SELECT COUNT(*) FROM city"), "differ"),
        (
            sql("SELECT id FROM city WHERE id > 99"),
            sql("SELECT id FROM city WHERE id > 98"),
            "return nothing",
        ),
        (sql("SELECT NULL"), sql("SELECT NULL AS x"), "return nothing"),
        (sql("SELECT nme FROM city"), sql("SELECT nme FROM city"), "fails"),
        (sql(COUNT), {"unanswerable": "no such column"}, "unanswerable"),
        (sql("DROP TABLE city"), sql(COUNT), "Refused"),
    ],
)
def test_what_an_expert_has_to_see(
    team: Team, first: dict[str, Any], second: dict[str, Any], reason: str
) -> None:
    project = team.project()
    team.add(project, "How many?")
    item = team.both(project, first, second)
    assert item.is_conflict
    assert item.decision is not None
    assert reason in item.decision.reason


def test_both_say_that_there_is_no_answer(team: Team) -> None:
    project = team.project()
    team.add(project, "How will it go on?")
    item = team.both(project, {"unanswerable": "it asks for the future"}, {"unanswerable": "no forecast"})
    assert item.is_settled
    assert item.decision is not None
    assert item.decision.body["golds"] == []
    assert item.decision.body["unanswerable"]


def test_readings_are_held_against_readings(team: Team) -> None:
    project = team.project()
    sales = {"reading": "sales", "sql": COUNT}
    cities = {"reading": "cities", "sql": "SELECT COUNT(*) FROM city"}
    same = team.both(
        project, {"readings": [sales, cities]}, {"readings": [cities, {**sales, "sql": BY_JOIN}]}
    )
    assert same.is_settled
    other = team.both(
        project, {"readings": [sales, cities]}, {"readings": [sales, {**sales, "reading": "x"}]}
    )
    assert other.is_conflict


def test_where_nobody_settles_each_query_that_runs_is_gold(team: Team) -> None:
    project = team.project(settled_by=Settling.NONE)
    cities = "SELECT COUNT(*) FROM city"
    item = team.both(project, sql(COUNT, evidence="a sale is a row"), sql(cities))
    assert item.decision is not None
    assert (item.decision.kind, item.state) == (DecisionKind.MERGED, "settled")
    assert sorted(item.decision.body["golds"]) == sorted([COUNT, cities])
    assert item.decision.body["evidence"] == "a sale is a row"
    fails = team.both(project, sql("SELECT nme FROM city"), sql(cities))
    assert fails.decision is not None
    assert fails.decision.body["golds"] == [cities]
    unlike = team.both(project, {"unanswerable": "no such column"}, sql(cities))
    assert unlike.decision is not None
    assert (unlike.decision.body["golds"], unlike.decision.body["unanswerable"]) == ([cities], "")
    none = team.both(project, {"unanswerable": "the future"}, {"unanswerable": "the future"})
    assert none.decision is not None
    assert (none.decision.body["golds"], none.decision.body["unanswerable"]) == ([], "the future")
    assert team.both(project, sql("SELECT nme FROM city"), sql("SELECT NULL")).is_conflict


def test_an_expert_decides_with_a_reason_and_it_can_be_decided_again(team: Team) -> None:
    project, eve = team.project(), team.people["eve"]
    team.add(project, "How many sales are there?")
    item = team.both(project, sql(COUNT), sql("SELECT COUNT(*) FROM city"))
    [anns] = [
        r.submission.id for r in submitted(team.reviews, item.id, 1) if r.submission.body["sql"] == COUNT
    ]
    with pytest.raises(ReviewRefused, match="Only an expert"):
        Ruling(team.reviews, item, team.people["cem"], "right").choose(team.bench, anns)
    with pytest.raises(InputError, match="reason"):
        Ruling(team.reviews, item, eve, " ").choose(team.bench, anns)
    Ruling(team.reviews, item, eve, "a sale, not a city").choose(team.bench, anns)
    item = team.reviews.item(item.id)
    assert item.is_settled
    assert item.decision is not None
    assert item.decision.body["golds"] == [COUNT]
    Ruling(team.reviews, item, team.people["olga"], "look again").reopen()
    item = team.reviews.item(item.id)
    assert item.is_conflict
    assert advance(team.reviews, team.bench, project) == {}  # the machine keeps out of it
    with pytest.raises(InputError, match="returns nothing"):
        Ruling(team.reviews, item, eve, "mine").write(team.bench, sql("SELECT id FROM sale WHERE id > 99"))
    with pytest.raises(InputError, match="fails"):
        Ruling(team.reviews, item, eve, "mine").write(team.bench, sql("SELECT nme FROM sale"))
    Ruling(team.reviews, item, eve, "mine").write(team.bench, sql(BY_JOIN))
    kinds = [d.kind.value for d in team.reviews.decisions(item.id)]
    assert kinds == ["conflict", "chosen", "reopened", "chosen"]
    item = team.reviews.item(item.id)
    assert item.decision is not None
    assert item.decision.body["golds"] == [BY_JOIN]
    with pytest.raises(ReviewRefused, match="nothing to reopen"):
        Ruling(team.reviews, team.reviews.item(team.add(project, "new")[0].id), eve, "why not").reopen()


def test_an_expert_who_worked_on_an_item_does_not_decide_it(team: Team) -> None:
    project = team.project(done_by=PersonRole.EXPERT, people=1, settled_by=Settling.EXPERT)
    [item] = team.add(project, "How many sales are there?")
    team.submit(project, "eve", sql("SELECT id FROM sale WHERE id > 99"))
    advance(team.reviews, team.bench, project)
    with pytest.raises(ReviewRefused, match="yourself"):
        Ruling(team.reviews, team.reviews.item(item.id), team.people["eve"], "no rows").drop()
    Ruling(team.reviews, team.reviews.item(item.id), team.people["olga"], "no rows").drop()
    assert team.reviews.item(item.id).state == "dropped"


def test_a_changed_question_is_asked_anew_from_both(team: Team) -> None:
    project, eve = team.project(), team.people["eve"]
    team.add(project, "How many?")
    item = team.both(project, sql(COUNT), sql("SELECT COUNT(*) FROM city"))
    with pytest.raises(InputError, match="same as before"):
        Ruling(team.reviews, item, eve, "unclear").change_question("How many? ", "")
    Ruling(team.reviews, item, eve, "unclear").change_question("How many sales?", "")
    item = team.reviews.item(item.id)
    assert (item.round, item.submitted, item.state) == (2, 0, "open")
    item = team.both(project, sql(COUNT), sql(BY_JOIN))
    assert item.is_settled
    assert len(submitted(team.reviews, item.id, 1)) == 2  # what was said about the first is still there


def test_work_on_a_question_that_was_changed_meanwhile_is_kept_and_told(team: Team) -> None:
    project, eve = team.project(people=1), team.people["eve"]
    [item] = team.add(project, "How many?")
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    Ruling(team.reviews, item, eve, "unclear").change_question("How many sales?", "")
    with pytest.raises(ReviewRefused, match="was changed"):
        save(team.reviews, given, sql(COUNT), submit=True)
    assert work_view(team.reviews, given.id, team.people["ann"]).body["sql"] == COUNT
    assert work_view(team.reviews, given.id, team.people["ann"]).question == "How many?"
    assert team.reviews.item(item.id).submitted == 0


def test_a_response_that_is_changed_is_compared_anew_until_an_expert_has_decided(team: Team) -> None:
    project, eve = team.project(), team.people["eve"]
    team.add(project, "How many sales are there?")
    first = next_work(team.reviews, project, team.people["ann"])
    assert first is not None
    item = team.both(project, sql("SELECT COUNT(*) FROM city"), sql(COUNT))
    assert item.is_conflict
    save(team.reviews, first, sql(BY_JOIN), submit=True)
    assert advance(team.reviews, team.bench, project) == {"agreed": 1}
    Ruling(team.reviews, team.reviews.item(item.id), eve, "not needed").drop()
    save(team.reviews, first, sql("SELECT 7"), submit=True)
    assert advance(team.reviews, team.bench, project) == {}
    assert team.reviews.item(item.id).state == "dropped"


def test_a_third_person_makes_a_majority_or_leaves_it_to_an_expert(team: Team) -> None:
    project = team.project(settled_by=Settling.THIRD)
    cities = sql("SELECT COUNT(*) FROM city")
    for last, kind in ((sql(BY_JOIN), "majority"), (sql("SELECT 3"), "conflict")):
        item = team.both(project, sql(COUNT), cities)
        assert item.decision is not None
        assert item.decision.kind is DecisionKind.ANOTHER
        assert item.state == "open"
        assert team.submit(project, "cem", last) == item.id
        assert advance(team.reviews, team.bench, project) == {kind: 1}
    settled = next(i for i in team.reviews.items(project.id) if i.is_settled)
    assert settled.decision is not None
    assert sorted(settled.decision.body["golds"]) == sorted([COUNT, BY_JOIN])


def test_questions_are_agreed_on_when_the_same_is_said(team: Team) -> None:
    project = team.project(WorkKind.QUESTION)
    edit = {"decision": "edit", "question": "Better?"}
    assert team.both(project, {"decision": "keep"}, {"decision": "keep", "note": "good"}).is_settled
    assert team.both(project, edit, edit).is_settled
    assert team.both(project, edit, {**edit, "question": "Best?"}).is_conflict


def test_ratings_and_preferences_are_merged(team: Team) -> None:
    rating = team.project(WorkKind.DIFFICULTY, settled_by=Settling.NONE)
    team.add(rating, "a")
    item = team.both(rating, {"difficulty": [1, 1, 2, 3]}, {"difficulty": [1, 2, 3, 3]})
    assert item.decision is not None
    assert item.decision.body["difficulty"] == [1, 1.5, 2.5, 3]
    preferred = team.project(WorkKind.PREFERENCE, settled_by=Settling.NONE)
    team.add(preferred, *"abcdefgh", shown={"A": "the first", "B": "the second"})
    for _ in range(8):  # each says what they mean, wherever it stands
        for name in ("ann", "ben"):
            given = next_work(team.reviews, preferred, team.people[name])
            assert given is not None
            shown = work_view(team.reviews, given.id, team.people[name]).shown
            side = "left" if shown["left"] == "the first" else "right"
            save(team.reviews, given, {"verdict": side}, submit=True)
    advance(team.reviews, team.bench, preferred)
    items = team.reviews.items(preferred.id)
    assert all(i.decision and i.decision.body == {"preference": {"A": 2}} for i in items)
    sides = {r.sides for i in items for r in submitted(team.reviews, i.id, 1)}
    assert sides == {"AB", "BA"}


def test_suspects_need_the_same_verdict_and_an_equal_better_gold(team: Team) -> None:
    project = team.project(WorkKind.SUSPECT)
    wrong = {"decision": "gold_wrong", "note": "counts cities"}
    item = team.both(project, {**wrong, "sql": COUNT}, {**wrong, "sql": BY_JOIN})
    assert item.is_settled
    assert item.decision is not None
    assert item.decision.body["sql"] in (COUNT, BY_JOIN)
    assert team.both(project, {**wrong, "sql": COUNT}, {**wrong, "sql": "SELECT 3"}).is_conflict
    assert team.both(project, wrong, {"decision": "gold_right"}).is_conflict


def test_comments_are_read_by_others_once_it_is_decided(team: Team) -> None:
    project = team.project()
    [item] = team.add(project, "How many sales are there?")
    works = {name: next_work(team.reviews, project, team.people[name]) for name in ("ann", "ben")}
    for name, given in works.items():
        assert given is not None
        add_comment(team.reviews, item.id, 1, team.people[name].id, f"{name} thinks")

    def seen(name: str) -> list[tuple[str, str]]:
        given = works[name]
        assert given is not None
        view = work_view(team.reviews, given.id, team.people[name])
        return [(c.by, c.text) for c in view.comments]

    assert seen("ann") == [("you", "ann thinks")]
    for given in works.values():
        assert given is not None
        save(team.reviews, given, sql(COUNT), submit=True)
    assert seen("ann") == [("you", "ann thinks")]
    advance(team.reviews, team.bench, project)
    assert seen("ann") == [("you", "ann thinks"), ("another", "ben thinks")]


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [
        (WorkKind.SQL, {}, "one of the three"),
        (WorkKind.SQL, {"sql": "SELECT 1", "unanswerable": "no"}, "one of the three"),
        (WorkKind.SQL, {"readings": [{"reading": "a", "sql": "SELECT 1"}]}, "two readings"),
        (WorkKind.SQL, {"sql": "SELECT 1", "difficulty": [1, 2, 3]}, "difficulty"),
        (WorkKind.SQL, {"sql": "SELECT 1", "difficulty": [0, 2, 3, 1]}, "difficulty"),
        (
            WorkKind.SQL,
            {"sql": "SELECT 1", "difficulty": {"data": 1}},
            "rate each from 1 to 3: question, know",
        ),
        (WorkKind.DIFFICULTY, {"difficulty": {"date": 1}}, "'date' is no dimension; there is: question"),
        (WorkKind.DIFFICULTY, {"difficulty": 2}, "rate each from 1 to 3"),
        (WorkKind.DIFFICULTY, {"difficulty": {"question": None}}, "rate each from 1 to 3"),
        (WorkKind.SQL, {"sql": "SELECT 1", "hacked": 1}, "hacked"),
        (WorkKind.QUESTION, {"decision": "drop"}, "why it is dropped"),
        (WorkKind.QUESTION, {"decision": "edit"}, "new text"),
        (WorkKind.ANSWER, {}, "one score"),
        (WorkKind.ANSWER, {"bioscore": 2.2}, "no BioScore"),
        (WorkKind.ANSWER, {"relevance": 0.3}, "0, 0.5 or 1"),
        (WorkKind.SUSPECT, {"decision": "gold_wrong"}, "what is wrong"),
        (WorkKind.PREFERENCE, {"verdict": "A"}, "verdict"),
        (WorkKind.WRITING, {"question": ""}, "question"),
    ],
)
def test_a_response_that_lacks_something_is_told_and_its_draft_stays(
    team: Team, kind: WorkKind, body: dict[str, Any], told: str
) -> None:
    project = team.project(kind)
    team.add(project, "How many?")
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    with pytest.raises(InputError, match=told):
        save(team.reviews, given, body, submit=True)
    assert not team.reviews.item(given.item).submitted


def test_difficulty_is_ranked_thirty_sixty_ten() -> None:
    ratings = {f"q{i}": (1.0, 1.0, 1.0, 1.0 + i / 10) for i in range(20)}
    found = ranked(ratings)
    counts = [list(found.values()).count(name) for name in ("simple", "moderate", "challenging")]
    assert counts == [6, 12, 2]
    assert found["q0"] == found["q5"] == "simple"
    assert found["q18"] == found["q19"] == "challenging"
    # Of equal means the one with the harder query is the harder one.
    tied = ranked({"a": (2, 1, 1, 1), "b": (1, 1, 1, 2), **{f"c{i}": (1, 1, 1, 1) for i in range(8)}})
    assert tied["b"] == "challenging"
    assert tied["a"] == "moderate"
