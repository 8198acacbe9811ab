import pytest
from tests.authoring.annotation.conftest import Team, sql

from fathom.authoring.annotation.exams import let_pass, result_of
from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.queue import next_work
from fathom.authoring.annotation.records import PersonRole, ReviewRefused, Settling, WorkKind
from fathom.authoring.annotation.responses import save
from fathom.authoring.annotation.view import project_view

COUNT, BY_JOIN, LUCKY = (
    "SELECT COUNT(*) FROM sale",
    "SELECT COUNT(*) FROM sale AS s JOIN city AS c ON c.id = s.city_id",
    "SELECT COUNT(buyer) FROM sale",
)


def test_nine_of_ten_queries_let_in(team: Team) -> None:
    exam = team.project(id="exam", people=0, pass_mark=9)
    team.add(exam, *(f"How many sales? {i}" for i in range(10)), withheld={"gold": ["SELECT 1", COUNT]})
    work = team.project(id="work", exam="exam")
    team.add(work, "How many sales?")
    for name, wrong in (("ann", 1), ("ben", 2)):
        with pytest.raises(ReviewRefused, match="Pass the exam"):
            next_work(team.reviews, work, team.people[name])
        for i in range(10):
            team.submit(exam, name, sql([LUCKY, "SELECT nme FROM sale"][i] if i < wrong else BY_JOIN))
    assert advance(team.reviews, team.bench, exam) == {"passed": 1, "failed": 1}
    assert advance(team.reviews, team.bench, exam) == {}
    results = [result_of(team.reviews, exam, team.people[name]) for name in ("ann", "ben", "cem")]
    assert [(r.hits, r.total, r.passed) if r else None for r in results] == [
        (9, 10, True),
        (8, 10, False),
        None,
    ]
    assert next_work(team.reviews, work, team.people["ann"]) is not None
    with pytest.raises(ReviewRefused):
        next_work(team.reviews, work, team.people["ben"])
    assert project_view(team.reviews, "exam", team.people["ann"]).result == results[0]


def test_an_exam_is_taken_once_and_can_be_waived(team: Team) -> None:
    exam = team.project(id="exam", people=0, pass_mark=1)
    team.add(exam, "How many sales?", withheld={"gold": [COUNT]})
    work = team.project(id="work", exam="exam")
    team.add(work, "How many sales?")
    given = next_work(team.reviews, exam, team.people["ann"])
    assert given is not None
    save(team.reviews, given, sql("SELECT 1"), submit=True)
    with pytest.raises(ReviewRefused, match="can't be changed"):
        save(team.reviews, given, sql(COUNT), submit=True)
    assert advance(team.reviews, team.bench, exam) == {"failed": 1}
    with pytest.raises(ReviewRefused, match="expert or owner"):
        let_pass(team.reviews, exam, team.people["ann"], team.people["ben"])
    let_pass(team.reviews, exam, team.people["ann"], team.people["eve"])
    assert next_work(team.reviews, work, team.people["ann"]) is not None


def test_that_there_is_no_answer_is_right_where_there_is_none(team: Team) -> None:
    exam = team.project(id="exam", people=0, pass_mark=1)
    team.add(exam, "What will be?", withheld={"gold": []})
    team.submit(exam, "ann", {"unanswerable": "it is the future"})
    team.submit(exam, "ben", sql(COUNT))
    assert advance(team.reviews, team.bench, exam) == {"passed": 1, "failed": 1}


def test_eight_of_ten_questions_with_two_votes_of_three_let_in(team: Team) -> None:
    experts = ["eve", "fay", "gil"]
    for name in experts[1:]:
        team.people[name], _ = team.reviews.add_person(name, PersonRole.EXPERT)
    votes = team.project(
        WorkKind.QUESTION, id="votes", people=3, done_by=PersonRole.EXPERT, settled_by=Settling.NONE
    )
    exam = team.project(WorkKind.WRITING, id="exam", people=0, pass_mark=8, votes="votes")
    team.add(exam, *(f"Write a question, {i}" for i in range(10)))
    for i in range(10):
        team.submit(exam, "ann", {"question": f"How many sales of kind {i}?"})
    assert advance(team.reviews, team.bench, exam) == {}
    asked = team.reviews.items("votes")
    assert sorted(i.question for i in asked) == [f"How many sales of kind {i}?" for i in range(10)]
    shown = project_view(team.reviews, "votes", team.people["eve"])
    assert "ann" not in repr(shown)
    # The last two questions get one vote each, all others two: exactly eight are good.
    for place, name in enumerate(experts):
        for _ in range(10):
            given = next_work(team.reviews, votes, team.people[name])
            assert given is not None
            number = int(team.reviews.item(given.item).question.rstrip("?").split()[-1])
            accepts = place == 0 or (place == 1 and number < 8)
            body = {"decision": "keep"} if accepts else {"decision": "drop", "note": "vague"}
            save(team.reviews, given, body, submit=True)
        assert advance(team.reviews, team.bench, votes)["passed"] == (place == 2)
    result = result_of(team.reviews, exam, team.people["ann"])
    assert result is not None
    assert (result.hits, result.total) == (8, 10)
