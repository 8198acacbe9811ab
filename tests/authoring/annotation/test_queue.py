from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.authoring.annotation.conftest import Team

from fathom.authoring.annotation.queue import LEASE, next_work, skip
from fathom.authoring.annotation.records import (
    LeaseEnded,
    NotInReview,
    Person,
    PersonRole,
    Project,
    ReviewRefused,
)
from fathom.authoring.annotation.responses import latest, save, submitted
from fathom.authoring.annotation.store import NewItem, Reviews
from fathom.authoring.annotation.view import work_view
from fathom.errors import InputError

ONE = {"sql": "SELECT 1"}


def test_an_item_is_given_to_as_many_as_it_needs_and_no_more(team: Team) -> None:
    project = team.project()
    [item] = team.add(project, "How many sales?")
    first, second, third = (next_work(team.reviews, project, team.people[n]) for n in ("ann", "ben", "cem"))
    assert first is not None
    assert second is not None
    assert (first.item, second.item, third) == (item.id, item.id, None)
    assert next_work(team.reviews, project, team.people["ann"]) is not None  # the same, not another
    save(team.reviews, first, ONE, submit=True)
    assert next_work(team.reviews, project, team.people["ann"]) is None


def test_what_few_have_done_comes_first_then_what_matters_more(team: Team) -> None:
    project = team.project()
    team.add(project, "a", "b")
    team.add(project, "c", priority=5.0)
    assert team.reviews.item(team.submit(project, "ann", ONE)).question == "c"
    second = team.submit(project, "ben", ONE)
    assert team.reviews.item(second).question in ("a", "b")


def test_each_person_has_an_order_of_their_own(team: Team) -> None:
    project = team.project(people=0)
    team.add(project, *(f"question {i}" for i in range(30)))
    orders = {name: [team.submit(project, name, ONE) for _ in range(30)] for name in ("ann", "ben")}
    assert orders["ann"] != orders["ben"]
    assert sorted(orders["ann"]) == sorted(orders["ben"])


def test_a_lease_that_has_ended_frees_the_item_and_a_late_response_is_kept(team: Team) -> None:
    project = team.project(people=1)
    team.add(project, "How many sales?")
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    assert next_work(team.reviews, project, team.people["ben"]) is None
    team.clock.wait(minutes=29)
    assert next_work(team.reviews, project, team.people["ben"]) is None
    team.clock.wait(minutes=2)
    team.submit(project, "ben", {"sql": "SELECT 2"})
    with pytest.raises(LeaseEnded, match="is kept"):
        save(team.reviews, given, ONE, submit=True)
    kept = latest(team.reviews, given.id)
    assert kept is not None
    assert kept.body["sql"] == "SELECT 1"
    assert not kept.submitted
    counted = submitted(team.reviews, given.item, 1)
    assert [r.submission.body["sql"] for r in counted] == ["SELECT 2"]


def test_a_draft_keeps_the_item_and_the_draft(team: Team) -> None:
    project = team.project(people=1)
    team.add(project, "How many sales?")
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    for minute in range(3):
        team.clock.wait(minutes=20)
        save(team.reviews, given, {"sql": f"SELECT {minute}"}, active_seconds=30)
    assert next_work(team.reviews, project, team.people["ben"]) is None
    again = next_work(team.reviews, project, team.people["ann"])
    assert again is not None
    assert again.id == given.id
    assert work_view(team.reviews, again.id, team.people["ann"]).body == {"sql": "SELECT 2"}
    team.clock.wait(seconds=LEASE.total_seconds() + 1)
    late = next_work(team.reviews, project, team.people["ann"])  # nobody took it meanwhile
    assert late is not None
    assert late.id == given.id


def test_a_skipped_item_goes_to_somebody_else(team: Team) -> None:
    project = team.project(people=1)
    team.add(project, "How many sales?")
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    skip(team.reviews, given)
    assert next_work(team.reviews, project, team.people["ann"]) is None
    assert next_work(team.reviews, project, team.people["ben"]) is not None


def test_who_may_work(team: Team) -> None:
    project = team.project()
    team.add(project, "How many sales?")
    for name in ("eve", "olga"):
        with pytest.raises(ReviewRefused, match="done by annotators"):
            next_work(team.reviews, project, team.people[name])
    given = next_work(team.reviews, project, team.people["ann"])
    assert given is not None
    with pytest.raises(NotInReview):
        work_view(team.reviews, given.id, team.people["ben"])
    team.reviews.close_project(project.id)
    with pytest.raises(ReviewRefused, match="closed"):
        save(team.reviews, given, ONE)
    team.reviews.close_project(project.id, closed=False)
    team.reviews.let_go(team.people["ann"])
    with pytest.raises(ReviewRefused, match="take part"):
        next_work(team.reviews, project, team.reviews.person("ann"))


def test_people_are_let_in_by_their_token_alone(team: Team) -> None:
    person, token = team.reviews.add_person("Zoë", PersonRole.ANNOTATOR)
    assert team.reviews.person_of(token) == person
    assert team.reviews.person_of("") is None
    assert team.reviews.person_of(token[:-1]) is None
    assert token.encode() not in team.reviews.path.read_bytes()
    renewed = team.reviews.new_token(person)
    assert team.reviews.person_of(token) is None
    assert team.reviews.person_of(renewed) == person
    team.reviews.let_go(person)
    assert team.reviews.person_of(renewed) is None
    imported = team.reviews.imported_person("from elsewhere")
    assert team.reviews.imported_person("from elsewhere") == imported
    assert team.reviews.person_of("") is None
    with pytest.raises(InputError, match="already"):
        team.reviews.add_person("zoë")


def test_nothing_that_was_said_can_be_changed_in_the_file(team: Team) -> None:
    project = team.project()
    team.add(project, "How many sales?")
    team.both(project, ONE, {"sql": "SELECT 2"})
    for table in ("response", "execution", "comparison", "decision", "round", "event"):
        assert team.reviews.rows(f"SELECT count(*) FROM {table}")[0][0], table
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET rowid = rowid + 1000"):
            with pytest.raises(Exception, match="kept as"):
                team.reviews.rows(statement)


def test_items_are_added_once_and_only_about_databases_that_are_there(team: Team) -> None:
    project = team.project()
    team.add(project, "a", "b")
    again = [NewItem(name="q1", question="other", database="shop"), NewItem(name="new", question="c")]
    assert team.reviews.add_items(project, again, "test") == (1, 1)
    assert [i.question for i in team.reviews.items(project.id)] == ["a", "b", "c"]
    with pytest.raises(InputError, match="no database 'shp'"):
        team.reviews.add_items(project, [NewItem(name="x", question="d", database="shp")], "test")


def test_an_address_with_a_password_is_not_kept(team: Team) -> None:
    with pytest.raises(InputError, match="password"):
        team.project(databases={"a": "postgresql://me:secret@host/db"})


def test_many_at_once_over_two_connections_collect_what_is_needed_and_no_more(
    team: Team, tmp_path: Path
) -> None:
    project = team.project()
    team.add(project, *(f"question {i}" for i in range(60)))
    people = [team.reviews.add_person(f"worker {i}")[0] for i in range(6)]

    def work(person: Person, reviews: Reviews) -> int:
        done = 0
        while (given := next_work(reviews, project, person)) is not None:
            save(reviews, given, {"sql": f"SELECT '{person.name}'"}, submit=True)
            done += 1
        return done

    with Reviews(team.reviews.path, team.clock) as other, ThreadPoolExecutor(6) as pool:
        done = list(pool.map(work, people, [team.reviews, other] * 3))
    assert sum(done) == 120
    counts = Counter(r.item for i in team.reviews.items(project.id) for r in submitted(team.reviews, i.id, 1))
    assert set(counts.values()) == {2}


def test_a_project_is_what_it_was_made(team: Team) -> None:
    made = team.project(title="Shop", guideline="Be *exact*.", seed=7, comparison="bird")
    assert team.reviews.project(made.id) == made
    assert isinstance(made, Project)
    with pytest.raises(InputError, match="already"):
        team.project()
    with pytest.raises(InputError, match="letters"):
        team.project(id="../x")
    with pytest.raises(NotInReview):
        team.reviews.project("nothing")
