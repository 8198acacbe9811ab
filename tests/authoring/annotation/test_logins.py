from tests.authoring.annotation.conftest import Team

from fathom.answering.store.file import SESSION_AGE


def test_a_login_ends_by_its_age(team: Team) -> None:
    ann = team.people["ann"]
    team.reviews.begin_login(ann, "secret")
    team.clock.wait(seconds=SESSION_AGE.total_seconds() - 60)
    assert team.reviews.logged_in("secret") == ann
    team.clock.wait(minutes=2)
    assert team.reviews.logged_in("secret") is None


def test_whoever_has_left_is_logged_in_no_more(team: Team) -> None:
    ann = team.people["ann"]
    team.reviews.begin_login(ann, "secret")
    team.reviews.let_go(ann)
    assert team.reviews.logged_in("secret") is None
