import json
import sqlite3
from pathlib import Path

import pytest
from tests.command import Fathom
from training.suspicion import learn

from fathom.authoring.audit import KINDS, audit
from fathom.authoring.audit.checks import check_gold
from fathom.authoring.audit.empty_copy import make_empty_copy
from fathom.authoring.audit.evidence_claims import read_claims
from fathom.authoring.audit.findings import EVIDENCE_KINDS
from fathom.authoring.audit.labelled import LabelledPair
from fathom.authoring.audit.offline_queries import OfflineQueries
from fathom.authoring.audit.suspicion import AGREES, FOR_GOLD, SuspicionWeights, suspicion
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack

SCHEMA = """
CREATE TABLE team (id INTEGER PRIMARY KEY, team_name TEXT, city TEXT, founded INTEGER);
CREATE TABLE player (id INTEGER PRIMARY KEY, player_name TEXT, height REAL, birthday TEXT, foot TEXT,
                     shirt_number INTEGER, team_id INTEGER REFERENCES team(id), captain_id INTEGER);
CREATE TABLE goal (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES player(id), minute INTEGER, code INTEGER);
CREATE TABLE referee (id INTEGER PRIMARY KEY, referee_name TEXT);
"""

CASES = [
    # A query by itself.
    ("SELECT player_name FROM player JOIN team ON player.team_id = team.id", "Name the players.", "", "join_unused"),
    ("SELECT player_name, team_name FROM player JOIN team ON player.team_id = team.id",
     "Give the player names and team names.", "", None),
    ("SELECT player_name, minute FROM player JOIN goal ON player.shirt_number = goal.player_id",
     "Give player names and minutes of goals.", "", "join_off_keys"),
    ("SELECT player_name FROM player WHERE height > 190 AND height < 180",
     "Which players are over 190 and under 180 in height?", "", "contradiction"),
    ("SELECT COUNT(foot) FROM player WHERE foot IS NULL", "How many players have no foot?", "", "contradiction"),
    ("SELECT SUM(team_id) FROM player", "What is the total of the team id?", "", "id_aggregated"),
    ("SELECT player_name FROM player WHERE foot = 'left' OR foot = 'right' AND height > 180",
     "Which players have left or right foot and height over 180?", "", "or_beside_and"),
    ("SELECT player_name FROM player WHERE (foot = 'left' OR foot = 'right') AND height > 180",
     "Which players have left or right foot and height over 180?", "", None),
    ("SELECT player_name FROM player WHERE height = 'tall'", "Which players' height is tall?", "", "type_mismatch"),
    ("SELECT player_name FROM player WHERE foot > 3", "Players with foot over 3?", "", "type_mismatch"),
    # Numbers and texts.
    ("SELECT player_name FROM player WHERE height > 180", "Players with height over 185?", "", "number_missing"),
    ("SELECT player_name FROM player WHERE height >= 186", "Players with height over 185?", "", None),
    ("SELECT player_name FROM player WHERE birthday LIKE '1990%'", "Players whose birthday is in 1990?", "", None),
    ("SELECT player_name FROM player WHERE height < 180", "Players with height over 180?", "", "comparison_turned"),
    ("SELECT player_name FROM player WHERE height >= 180", "Players with height over 180?", "", "comparison_edge"),
    ("SELECT player_name FROM player WHERE shirt_number = 7", "Players with a shirt number?", "", "number_unasked"),
    ("SELECT player_name FROM player WHERE foot = 'left'", "Players with a right foot?", "", "text_unasked"),
    ("SELECT player_name FROM player JOIN team ON player.team_id = team.id WHERE team_name = 'Real  Sur'",
     "Players of the team 'Real Sur'?", "", "text_respelt"),
    # What is asked.
    ("SELECT COUNT(*) FROM player WHERE foot = 'left'", "What percentage of players have a left foot?", "",
     "share_lacking"),
    ("SELECT SUM(height) FROM player", "Which height?", "", "sum_unasked"),
    ("SELECT height FROM player WHERE player_name = 'Ana'", "What is the difference in height of Ana?", "",
     "difference_lacking"),
    ("SELECT AVG(height) FROM player", "What is the average height of each team?", "", "group_lacking"),
    ("SELECT player_name FROM player GROUP BY player_name", "Which players?", "", "group_unasked"),
    ("SELECT player_name FROM player WHERE foot = 'left'", "Which players don't have a left foot?", "",
     "negation_lacking"),
    ("SELECT player_name FROM player WHERE foot <> 'left'", "Which players have a left foot?", "",
     "negation_unasked"),
    ("SELECT player_name FROM player", "Who is the tallest player?", "", "extreme_lacking"),
    ("SELECT player_name FROM player ORDER BY height DESC LIMIT 1", "Which players?", "", "extreme_unasked"),
    ("SELECT player_name FROM player", "List the player names in alphabetical order.", "", "order_lacking"),
    ("SELECT player_name FROM player ORDER BY height DESC LIMIT 3", "Which are the top 2 players by height?", "",
     "limit_off"),
    ("SELECT team_id, player_name FROM player", "Give the player names.", "", "id_extra"),
    ("SELECT player_name FROM player WHERE foot = 'left'", "List the height of players with a left foot.", "",
     "item_not_returned"),
    ("SELECT player_name FROM player WHERE minute = 3", "Players?", "", "gold_fails"),
    ("SELECT player_name FROM player WHERE founded = 3", "Players?", "", "gold_fails"),
    ("SELECT player_name FROM player WHERE height = 188", "Which players?", "", "condition_unasked"),
    ("SELECT player_name FROM player WHERE height > 180", "Player names with shirt number over 180?", "",
     "column_passed"),
    # Evidence.
    ("SELECT player_name FROM player WHERE height > 180", "Which players are tall?", "tall refers to height > 180",
     None),
    ("SELECT player_name FROM player WHERE shirt_number > 180", "Which players are tall?",
     "tall refers to height > 180", "evidence_column_unused"),
    ("SELECT player_name FROM player WHERE height > 170", "Which players are tall?", "tall refers to height > 180",
     "evidence_value_unused"),
    ("SELECT player_name FROM player WHERE height < 180", "Which players are tall?", "tall refers to height > 180",
     "evidence_sign_turned"),
    ("SELECT player_name FROM player WHERE height >= 180", "Which players are tall?",
     "tall refers to height > 180", "evidence_sign_edge"),
    ("SELECT COUNT(*) FROM player WHERE foot = 'left'", "What is the share of lefties?",
     "share = DIVIDE(COUNT(foot = 'left'), COUNT(id))", "evidence_formula_unused"),
    ("SELECT AVG(height) FROM player", "What is the average height?",
     "average height = DIVIDE(SUM(height), COUNT(id))", None),
    ("SELECT player_name FROM player WHERE height > 180", "Which players are tall?",
     "tall refers to height > 180; old refers to birthday < '1980'", None),
    # What tables hold.
    ("SELECT player_name FROM player WHERE height > 300", "Players with height over 300?", "",
     "value_out_of_range"),
    ("SELECT COUNT(player.player_name) FROM player JOIN goal ON goal.player_id = player.id WHERE minute > 0",
     "How many player names scored after minute 0?", "", "count_repeats"),
    ("SELECT player_name, minute FROM player JOIN goal ON player.id = goal.code", "Players and minutes by code?",
     "", "join_disjoint"),
    ("SELECT player_name FROM player", "How many players?", "", "result_misshapen"),
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "games.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    teams = [(1, "Real Sur", "Lima", 1924), (2, "Norte", "Quito", 1950)]
    connection.executemany("INSERT INTO team VALUES (?, ?, ?, ?)", teams)
    players = [
        (1, "Ana", 181.0, "1990-02-03", "left", 9, 1, 2),
        (2, "Eva", 188.0, "1979-04-05", "right", 7, 1, 2),
        (3, "Isa", 172.0, "1990-06-07", "left", 4, 2, 3),
    ]
    connection.executemany("INSERT INTO player VALUES (?, ?, ?, ?, ?, ?, ?, ?)", players)
    goals = [(1, 1, 5, 70), (2, 1, 44, 71), (3, 3, 90, 72)]
    connection.executemany("INSERT INTO goal VALUES (?, ?, ?, ?)", goals)
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def database(file: Path) -> Database:
    return connect(file)


def _kinds(database: Database, sql: str, question: str, evidence: str = "") -> set[str]:
    asked = BenchmarkQuestion("1", question, "", (sql,), evidence=evidence)
    return {kind for kind, _, _ in check_gold(asked, sql, database, 10)}


@pytest.mark.parametrize(("sql", "question", "evidence", "kind"), CASES)
def test_each_check(database: Database, sql: str, question: str, evidence: str, kind: str | None) -> None:
    found = _kinds(database, sql, question, evidence)
    assert kind in found if kind else not found, found
    assert found <= KINDS.keys()


def test_every_kind_has_a_weight_or_a_reason_to_have_none() -> None:
    assert KINDS.keys() - suspicion().weights.keys() <= {"negation_unasked", "order_lacking"}
    assert suspicion().weights.keys() - FOR_GOLD <= KINDS.keys()
    assert all(weight > 0 for kind, weight in suspicion().weights.items() if kind not in FOR_GOLD)


def test_a_table_without_rows_says_nothing_of_results(database: Database) -> None:
    sql = "SELECT referee_name FROM referee WHERE referee_name = 'Rui'"
    assert not _kinds(database, sql, "Is there a referee name Rui?")


def test_claims_are_read_from_evidence(database: Database) -> None:
    evidence = (
        "tall players refers to height BETWEEN 180 AND 190; lefty means foot = 'left'; "
        "share = DIVIDE(COUNT(foot = 'left'), COUNT(`shirt_number`)); the foot of a hill is low"
    )
    tall, lefty, share = read_claims(evidence, database.schema)
    height, foot = frozenset({"player.height"}), frozenset({"player.foot"})
    assert tall.phrase == "tall players"
    assert tall.tests == ((height, ">=", "180"), (height, "<=", "190"))
    assert lefty.tests == ((foot, "=", "left"),)
    assert share.functions == ("divide", "count")
    assert share.columns == (foot, frozenset({"player.shirt_number"}))


def test_what_a_claim_explains(database: Database) -> None:
    told = {
        "foot = 'left'": "",
        "DIVIDE(COUNT(foot = 'left'), COUNT(id))": "",
        "height > 180 means a tall player": "a tall player",
        "tall player refers to height > 180": "tall player",
        "share of lefties = DIVIDE(COUNT(foot = 'left'), COUNT(id))": "share of lefties",
    }
    for statement, phrase in told.items():
        (claim,) = read_claims(statement, database.schema)
        assert claim.phrase == phrase


def test_statements_that_the_question_says_nothing_of_are_passed_over(database: Database) -> None:
    sql, evidence = "SELECT player_name FROM player", "city refers to city = 'Lima'"
    assert "evidence_column_unused" in _kinds(database, sql, "Players of the city?", evidence)
    assert not _kinds(database, sql, "All players?", evidence) & set(EVIDENCE_KINDS)


def test_an_empty_copy_has_the_tables_and_keys(database: Database, tmp_path: Path) -> None:
    make_empty_copy(database.schema, tmp_path / "copy.sqlite")
    with connect(tmp_path / "copy.sqlite") as copy:
        assert [t.name for t in copy.schema.tables] == [t.name for t in database.schema.tables]
        declared = {(k.table, k.columns, k.target_table) for k in copy.schema.foreign_keys if not k.inferred}
        assert ("goal", ("player_id",), "player") in declared
        assert not copy.run("SELECT * FROM player").rows


def test_findings_add_up_to_a_probability() -> None:
    weights = SuspicionWeights(-1.0, {"a": 1.0, "b": 1.0, AGREES: -3.0}, 0.5)
    assert weights.probability([]) == pytest.approx(0.269, abs=1e-3)
    assert weights.probability(["a", "a"]) == pytest.approx(0.5)
    assert weights.suspects(["a", "b", "unknown"])
    assert not weights.suspects(["a", "b", AGREES])


def test_weights_are_learned_from_labels() -> None:
    pairs = [LabelledPair(str(i), "", "d", "", right=i % 4 > 0, errors=()) for i in range(80)]
    found = [frozenset({"bad"} if not p.right else {"idle"} if int(p.id) % 2 else ()) for p in pairs]
    weights, base = learn(pairs, list(found))
    assert weights["bad"] > 2
    assert weights["idle"] == 0
    assert base < 0


def test_the_offline_method_reads_the_question_too(file: Path, database: Database, tmp_path: Path) -> None:
    offline = OfflineQueries(tmp_path)

    def held(sql: str, question: str) -> str | None:
        asked = BenchmarkQuestion("1", question, str(file), (sql,))
        found = offline.hold(asked, sql, database, KnowledgePack(), 10)
        return found[0] if found else None

    question = "How many players are there?"
    assert held("SELECT COUNT(*) FROM player", question) == AGREES
    assert held("SELECT COUNT(*) + 1 FROM player", question) == "reading_differs"
    assert held("SELECT id FROM player WHERE id > 9", question) is None


def test_the_likeliest_wrong_come_first(file: Path, fathom: Fathom) -> None:
    lines = [
        {"id": "edge", "question": "Players with height over 181?", "database": file.name,
         "gold": ["SELECT player_name FROM player WHERE height >= 181"]},
        {"id": "fine", "question": "Which players?", "database": file.name,
         "gold": ["SELECT player_name FROM player"]},
        {"id": "worse", "question": "Players with height over 300?", "database": file.name,
         "gold": ["SELECT player_name FROM player JOIN team ON team_id = team.id WHERE height >= 300"]},
    ]  # fmt: skip
    benchmark = file.with_name("b.jsonl")
    benchmark.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = sorted(audit(load_benchmark(benchmark)), key=lambda one: one.order)
    assert list(dict.fromkeys(f.id for f in found)) == ["worse", "edge"]
    assert found[0].suspicion > found[-1].suspicion >= suspicion().threshold
    told = json.loads(fathom("audit", str(benchmark), "--json", "--offline").out)
    assert next(f["id"] for f in told) == "worse"
    assert "fine" not in {f["id"] for f in told}


def test_schemas_stand_in_for_databases_that_are_not_here(tmp_path: Path, fathom: Fathom) -> None:
    tables = {
        "db_id": "games", "table_names_original": ["player"], "table_names": ["player"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "height"]],
        "column_names": [[-1, "*"], [0, "id"], [0, "height"]],
        "column_types": ["text", "number", "number"], "primary_keys": [1], "foreign_keys": [],
    }  # fmt: skip
    (tmp_path / "dev_tables.json").write_text(json.dumps([tables]), encoding="utf-8")
    gold = "SELECT id FROM player WHERE height > 180"
    asked = {"question_id": 0, "db_id": "games", "question": "Ids of tall players?", "SQL": gold,
             "evidence": "tall refers to height > 180", "difficulty": "simple"}  # fmt: skip
    (tmp_path / "dev.json").write_text(json.dumps([asked]), encoding="utf-8")
    pairs = [
        {"question": asked["question"], "db_id": "games", "label": True, "sql": gold},
        {"question": asked["question"], "db_id": "games", "label": False, "sql": "SELECT id FROM player"},
        {"question": "Else?", "db_id": "other", "label": False, "sql": "SELECT 1"},
    ]
    labelled = tmp_path / "pairs.json"
    labelled.write_text(json.dumps(pairs), encoding="utf-8")
    run = ("audit", str(tmp_path), "--labelled", str(labelled), "--schemas-alone", "--json")
    told = json.loads(fathom(*run).out)
    assert (told["n"], told["unjudged"]) == (2, 1)
    assert told["rates"]["accuracy"]["value"] == 1
    assert json.loads(fathom(*run, "--database", "other").out)["unjudged"] == 1
    refused = fathom("audit", "--labelled", str(labelled), "--schemas-alone")
    assert "--schemas-alone needs the benchmark" in refused.err
