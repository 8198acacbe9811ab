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
