"""Follow-ups over columns whose values are read by their form."""

import sqlite3
from contextlib import closing
from pathlib import Path

import fathom
from fathom.records import Ending


def test_a_follow_up_changes_the_month_and_an_unclear_day_is_declined(
    tmp_path: Path, own_settings: None
) -> None:
    file = tmp_path / "visits.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("""
            CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, guest TEXT, arrived TEXT);
            INSERT INTO visits VALUES (1, 'Ana', '31/01/2024'), (2, 'Ben', '02/02/2024'),
                (3, 'Cid', '15/02/2024'), (4, 'Dee', '28/03/2024'), (5, 'Eva', '05/12/2023');""")
    with fathom.Conversation(str(file)) as talk:
        assert talk.ask("How many visits arrived in February 2024?").result.rows == ((2,),)  # type: ignore[union-attr]
        assert talk.ask("and in March 2024?").result.rows == ((1,),)  # type: ignore[union-attr]
        assert talk.ask("and after 01/02/2024?").ending is not Ending.SURE


def test_a_question_with_readings_of_its_own_keeps_nothing_of_the_one_before(
    tmp_path: Path, own_settings: None
) -> None:
    file = tmp_path / "vet.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("""
            CREATE TABLE kind (code TEXT PRIMARY KEY, meaning TEXT);
            INSERT INTO kind VALUES ('V', 'vaccination'), ('S', 'surgery'), ('C', 'check-up');
            CREATE TABLE visit (id INTEGER PRIMARY KEY, pet TEXT, seen TEXT, complaints TEXT, k TEXT);
            INSERT INTO visit VALUES (1, 'Rex', '03/04/2026', 'limp, fever', 'C'),
                (2, 'Mia', '15/04/2026', 'fever', 'S'), (3, 'Rex', '28/05/2026', NULL, 'V'),
                (4, 'Bo', '01/06/2026', 'itch, cough', 'C'), (5, 'Mia', '30/06/2026', 'cough', 'C'),
                (6, 'Zoe', '14/06/2026', 'limp', 'S');""")
    with fathom.Conversation(str(file)) as talk:
        assert talk.ask("visits in April 2026").result.rows == ((1,), (2,))  # type: ignore[union-attr]
        assert talk.ask("how many of them are surgery").result.rows == ((1,),)  # type: ignore[union-attr]
        assert talk.ask("visits in April 2026").ending is Ending.SURE
        whole = talk.ask("how many surgery visits")  # two in all: 1 would be those of April
        assert whole.ending is not Ending.SURE or (whole.result and whole.result.rows == ((2,),))


def test_a_state_that_is_a_word_of_grammar_is_not_passed_over(tmp_path: Path, own_settings: None) -> None:
    file = tmp_path / "repairs.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("""
            CREATE TABLE job_status (st TEXT PRIMARY KEY, meaning TEXT);
            INSERT INTO job_status VALUES ('D', 'done'), ('W', 'waiting for parts'), ('O', 'open');
            CREATE TABLE repair_jobs (job_no TEXT PRIMARY KEY, customer TEXT, st TEXT);
            INSERT INTO repair_jobs VALUES ('0007', 'Nora Blum', 'D'), ('0012', 'Otto Lenz', 'W'),
                ('0013', 'Nora Blum', 'O'), ('0020', 'Ivo Marek', 'D');""")
    with fathom.Conversation(str(file)) as talk:
        for question, right in (("How many jobs are done?", 2), ("How many jobs are done of Nora Blum?", 1)):
            answer = talk.ask(question)
            assert answer.ending is not Ending.SURE or answer.result.rows == ((right,),)  # type: ignore[union-attr]
        assert talk.ask("How many jobs are there?").result.rows == ((4,),)  # type: ignore[union-attr]
