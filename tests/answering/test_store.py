import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from fathom.answering.store import MOST_ROWS, AnswerNotFound, Origin, Standing, Store
from fathom.answering.store.file import SESSION_AGE, StoreFile, migrations
from fathom.answering.store.shared import digest
from fathom.errors import ConfigError
from fathom.records import Answer, Question, Reading, Refusal, Result


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "deep" / "fathom.sqlite") as opened:
        yield opened


def answered(question: str, says: str = "The count is 3.", rows: int = 1) -> Answer:
    result = Result(("n",), tuple((i,) for i in range(rows)), "SELECT count(*) FROM drug", 0.1)
    return Answer(Question(question), says, sql=result.sql, result=result, confidence=0.9, method="offline")


def asked(store: Store, question: str = "How many drugs?", database: str = "biomed") -> str:
    entry, _ = store.begin(Question(question), database)
    store.finish(entry.id, answered(question), seconds=0.2, state="s1")
    return entry.id


def test_a_question_is_there_before_its_answer_and_the_answer_comes_back(store: Store) -> None:
    entry, new = store.begin(Question("How many drugs?", evidence="all"), "biomed")
    assert (new, entry.status, entry.is_finished) == (True, "waiting", False)
    assert store.get(entry.id).answer is None
    store.working(entry.id)
    assert store.get(entry.id).status == "working"
    answer = answered("How many drugs?")
    store.finish(entry.id, answer, seconds=0.25, state="s1")
    kept = store.get(entry.id)
    assert kept.answer == answer
    assert (kept.status, kept.says, kept.confidence, kept.seconds, kept.row_count, kept.state) == (
        "sure", "The count is 3.", 0.9, 0.25, 1, "s1",
    )  # fmt: skip
    assert (kept.question, kept.evidence, kept.origin) == ("How many drugs?", "all", Origin.ASKED)


def test_a_finished_answer_does_not_change(store: Store) -> None:
    id_ = asked(store)
    with pytest.raises(sqlite3.IntegrityError, match="does not change"):
        store.finish(id_, answered("Another?"), seconds=1)
    with pytest.raises(sqlite3.IntegrityError, match="does not change"):
        store.fail(id_, Standing.CANCELLED, "Cancelled.", seconds=1)
    kept = store.get(id_).answer
    assert kept is not None
    assert kept.question.text == "How many drugs?"


def test_the_same_key_asks_once(store: Store) -> None:
    first, new = store.begin(Question("How many?"), "biomed", key="k1")
    second, again = store.begin(Question("How many?"), "biomed", key="k1")
    assert (first.id, new, again) == (second.id, True, False)
    assert len(store.history()) == 1


def test_conversations_hold_their_answers_in_order(store: Store) -> None:
    first, _ = store.begin(Question("How many drugs?"), "biomed")
    second, _ = store.begin(
        Question("And genes?"),
        "biomed",
        conversation=first.conversation,
        parent=first.id,
        origin=Origin.CHOSEN,
    )
    assert [a.id for a in store.conversation(first.conversation)] == [first.id, second.id]
    assert [a.id for a in store.children(first.id)] == [second.id]
    with pytest.raises(AnswerNotFound, match="no conversation 'nothing'"):
        store.begin(Question("How many?"), "biomed", conversation="nothing")


def test_history_is_searched_by_the_beginnings_of_words_and_paged(store: Store) -> None:
    drugs = asked(store, "How many drugs are approved?")
    genes = asked(store, "Which genes are near?", database="other")
    refused, _ = store.begin(Question('Will "it" rain AND snow?'), "biomed")
    store.finish(refused.id, Answer(Question("x"), "I don't know.", refusal=Refusal("no")), seconds=0.1)
    found = {
        "": [refused.id, genes, drugs],
        "approv": [drugs],
        "drug": [genes, drugs],  # also in the SQL of the second
        "count(*)": [genes, drugs],
        '"it" AND NOT (': [],
        "rain snow": [refused.id],
        "don't know": [refused.id],
    }
    assert {words: [e.id for e in store.history(words)] for words in found} == found
    assert [e.id for e in store.history(database="other")] == [genes]
    assert [e.id for e in store.history(statuses=["unknown", "failed"])] == [refused.id]
    [latest] = store.history(most=1)
    assert [e.id for e in store.history(before=latest.number)] == [genes, drugs]


def test_long_results_are_kept_in_part(store: Store) -> None:
    entry, _ = store.begin(Question("All?"), "biomed")
    store.finish(entry.id, answered("All?", rows=MOST_ROWS + 500), seconds=1)
    kept = store.get(entry.id)
    assert kept.row_count == MOST_ROWS + 500
    assert kept.answer is not None
    assert kept.answer.result is not None
    assert len(kept.answer.result.rows) == MOST_ROWS


def test_rows_that_take_much_room_are_fewer(store: Store) -> None:
    result = Result(("t",), tuple((Random(i).randbytes(25_000).hex(),) for i in range(60)), "SELECT 1", 0.1)
    entry, _ = store.begin(Question("All?"), "biomed")
    store.finish(entry.id, Answer(Question("All?"), "Many.", sql="SELECT 1", result=result), seconds=1)
    kept = store.get(entry.id)
    assert kept.content is not None
    assert len(kept.content) <= 1_000_000
    assert kept.answer is not None
    assert kept.answer.result is not None
    rows = kept.answer.result.rows
    assert 10 < len(rows) < 60
    assert rows == result.rows[: len(rows)]


def test_every_reading_keeps_its_rows(store: Store) -> None:
    few, many = (answered("Which?", rows=n).result for n in (3, MOST_ROWS + 1))
    readings = (Reading("drugs", "SELECT 1", result=few), Reading("genes", "SELECT 2", result=many))
    entry, _ = store.begin(Question("Which?"), "biomed")
    store.finish(entry.id, Answer(Question("Which?"), "Did you mean?", readings=readings), seconds=1)
    kept = store.get(entry.id)
    assert kept.status == "unsure"
    assert kept.answer is not None
    assert [len(r.result.rows) for r in kept.answer.readings if r.result] == [3, MOST_ROWS]


def test_saved_questions_show_their_latest_answer(store: Store) -> None:
    first, second = asked(store), asked(store)
    saved = store.save(first, "Drugs, how many?", "board")
    other = store.save(second, "Drugs, how many?")
    assert (saved.slug, other.slug) == ("drugs-how-many", "drugs-how-many-2")
    assert [s.slug for s in store.all_saved()] == ["drugs-how-many", "drugs-how-many-2"]
    assert [s.slug for s in store.all_saved("board")] == ["drugs-how-many"]
    store.renew(saved.slug, second)
    assert store.saved(saved.slug).entry.id == second
    store.unsave(saved.slug)
    with pytest.raises(AnswerNotFound, match="no saved question 'drugs-how-many'"):
        store.saved(saved.slug)
    assert store.get(first).id == first


def test_feedback_is_kept_in_order(store: Store) -> None:
    id_ = asked(store)
    store.judge(id_, is_right=False, reason="wrong rows", note="there are 4")
    store.judge(id_, is_right=True)
    assert [(f.is_right, f.reason, f.note) for f in store.feedback(id_)] == [
        (False, "wrong rows", "there are 4"), (True, "", ""),
    ]  # fmt: skip
    with pytest.raises(AnswerNotFound):
        store.judge("nothing", is_right=True)


def test_what_is_deleted_is_found_no_more(store: Store) -> None:
    id_ = asked(store)
    store.save(id_, "Drugs")
    store.judge(id_, is_right=True)
    store.delete(id_)
    assert (list(store.history()), list(store.history("drugs")), list(store.all_saved())) == ([], [], [])
    with pytest.raises(AnswerNotFound):
        store.get(id_)


def test_sessions_are_known_by_their_secret_alone(store: Store) -> None:
    store.begin_session("secret ✓")
    assert (store.knows_session("secret ✓"), store.knows_session("other")) == (True, False)


@pytest.mark.parametrize(("hours", "lasts"), [(-1, True), (1, False)])
def test_sessions_end_by_their_age(store: Store, tmp_path: Path, hours: int, lasts: bool) -> None:
    store.begin_session("secret")
    store.shared.begin_user_session("theirs", "ann", "token")
    begun = (datetime.now(UTC) - SESSION_AGE - timedelta(hours=hours)).isoformat(timespec="milliseconds")
    with sqlite3.connect(tmp_path / "deep" / "fathom.sqlite") as file:
        file.execute("UPDATE session SET begun_at = ?", (begun,))
        file.execute("UPDATE user_session SET begun_at = ?", (begun,))
    assert store.knows_session("secret") is lasts
    assert (store.shared.user_of_session("theirs") is not None) is lasts


DYING = (
    "import os, sys; from pathlib import Path; from fathom.answering.store import Store;"
    "from fathom.records import Question\n"
    "store = Store(Path(sys.argv[1]), sys.argv[2]); ids = sys.argv[3:]\n"
    "if ids: assert store.shared.take_over({'biomed'}) == ids\n"
    "else: ids = [store.begin(Question('How many?'), 'biomed')[0].id]\n"
    "store.working(ids[0]); print(ids[0], flush=True); os.kill(os.getpid(), 9)"
)


def died_on_a_question(file: Path, *ids: str, user: str = "") -> str:
    """The question on which a process began to work, taken over or asked by itself, before it was killed."""
    words = [sys.executable, "-c", DYING, str(file), user, *ids]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == -9, ended.stderr
    id_: str = ended.stdout.strip()
    return id_


def test_questions_of_a_process_that_died_are_taken_over_once(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    died = died_on_a_question(file)
    with Store(file) as store:
        mine, _ = store.begin(Question("Still at work?"), "biomed")
        assert store.shared.take_over({"another"}) == []
        assert store.shared.take_over({"biomed"}) == [died]
        assert store.shared.take_over({"biomed"}) == []
        assert (store.get(died).status, store.get(mine.id).status) == ("waiting", "waiting")
        store.working(died)
        store.fail(died, Standing.FAILED, "It came to nothing.", seconds=1.0)
        assert store.get(died).status == "failed"


def test_a_user_s_question_is_left_to_that_user_s_site(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    died = died_on_a_question(file, user="ann")
    with Store(file, "ben") as ben, Store(file, "ann") as ann:
        assert ben.shared.take_over({"biomed"}) == []
        assert ben.get(died).status == "working"
        assert ann.shared.take_over({"biomed"}) == [died]
        assert ann.get(died).asked_by == "ann"


def test_in_a_user_s_file_a_question_of_nobody_known_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    died = died_on_a_question(file)
    with Store(file, "ben") as ben:
        assert ben.shared.take_over({"biomed"}) == []
        assert ben.get(died).status == "interrupted"


def test_a_question_that_ended_two_processes_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    died = died_on_a_question(file, died_on_a_question(file))
    with Store(file) as store:
        assert store.shared.take_over({"biomed"}) == []
        assert store.get(died).status == "interrupted"


def test_another_server_s_question_is_not_finished_here(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    died = died_on_a_question(file)
    with Store(file) as store:
        store.fail(died, Standing.FAILED, "Not mine.", seconds=1.0)
        assert store.get(died).status == "working"


def test_a_question_is_handed_over_only_to_somebody(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    script = (
        "import sys; from pathlib import Path; from fathom.answering.store import Store;"
        "store = Store(Path(sys.argv[1])); print(flush=True); sys.stdin.read()"
    )
    with Store(file) as store:
        mine, _ = store.begin(Question("How many?"), "biomed")
        store.working(mine.id)
        assert not store.shared.hand_over(mine.id)
        words = [sys.executable, "-c", script, str(file)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout
            other.stdout.readline()
            assert store.shared.hand_over(mine.id)
            assert store.shared.take_over({"biomed"}) == [mine.id]
            other.kill()


def test_a_limit_holds_for_all_servers_and_sessions_of_users_are_shared(tmp_path: Path) -> None:
    with Store(tmp_path / "fathom.sqlite") as one, Store(tmp_path / "fathom.sqlite") as two:
        allowed = [s.shared.allows("browser", 3) for s in (one, two, one, two)]
        assert allowed == [True, True, True, False]
        assert two.shared.allows("another", 3)
        one.shared.begin_user_session("secret", "ann", "token")
        assert two.shared.user_of_session("secret") == ("ann", digest("token"))
        assert two.shared.user_of_session("other") is None
        assert not two.knows_session("secret")  # which would let them in to all


def test_many_threads_and_two_stores_write_at_once(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    with Store(file) as one, Store(file) as two, ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(lambda i: asked((one, two)[i % 2], f"Question {i}?"), range(80)))
        assert {e.id for e in one.history(most=100)} == ids
        assert len(ids) == 80


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    StoreFile(file).close()
    with sqlite3.connect(file) as later:
        later.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    later.close()
    with pytest.raises(ConfigError, match="later version"):
        Store(file)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, and long enough to be looked at " * 20)
    with pytest.raises(ConfigError, match=r"notes\.txt.*FATHOM_STORE"):
        Store(file)
    assert file.read_text().startswith("not a database")


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "fathom.sqlite"
    Store(file).close()
    assert oct(file.stat().st_mode & 0o777) == "0o600"
