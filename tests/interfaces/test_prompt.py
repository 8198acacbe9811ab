"""The prompt of `fathom ask`: which lines are commands, what they do, and how typing is helped."""

import io
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tests.command import Done, Fathom

from fathom.answering import Conversation, prepare
from fathom.databases import connect
from fathom.interfaces.cli.line_editor import NameCompleter, edited_lines
from fathom.interfaces.cli.prompt import COMMANDS
from fathom.retrieval import ValueIndex

Type = Callable[..., Done]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    made = sqlite3.connect(path)
    made.executescript(
        "CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, spent REAL);"
        "INSERT INTO customer VALUES (1, 'Ana Lima', 'Brazil', 10), (2, 'Bo Ek', 'Sweden', 20),"
        " (3, 'Cy Roy', 'Brazil', 30);"
        'CREATE TABLE "exit" (code INTEGER);'
    )
    made.close()
    return path


@pytest.fixture
def type_in(fathom: Fathom, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def type_lines(*lines: str) -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return fathom("ask", shop)

    return type_lines


def test_exit_ends_it_and_is_no_question(type_in: Type) -> None:
    done = type_in("exit", "How many customers are there?")
    assert done.code == 0
    assert done.out == ""


def test_an_empty_line_is_passed_over(type_in: Type) -> None:
    assert "3 customers." in type_in("", "How many customers are there?").out


def test_help_lists_every_command(type_in: Type) -> None:
    told = type_in("help").out
    for name, command in COMMANDS.items():
        assert f"{name} {command.argument}".strip() in told
    assert "exit" in told


def test_tables_and_one_of_them_are_shown(type_in: Type) -> None:
    assert "customer  3 rows" in type_in("tables").out
    told = type_in("show CUSTOMER").out
    assert "spent" in told
    assert "Brazil" in told


def test_show_is_a_question_where_no_table_is_named(type_in: Type) -> None:
    told = type_in("show customers from Sweden").out
    assert "Bo Ek" in told
    assert "REAL" not in told


def test_a_slash_makes_a_command_and_says_what_is_wrong(type_in: Type) -> None:
    done = type_in("/show custmer", "/tabels", "/tables", "How many customers are there?")
    assert "There is no table 'custmer'" in done.err or "there is no table 'custmer'" in done.err
    assert "Did you mean 'customer'?" in done.err
    assert "Did you mean 'tables'?" in done.err
    assert "customer  3 rows" in done.out
    assert "3 customers." in done.out


def test_the_last_answer_is_looked_into(type_in: Type) -> None:
    done = type_in("sql", "How many customers are there?", "sql", "why")
    assert "nothing was asked yet" in done.err
    assert done.out.count("SELECT COUNT(*) FROM customer") >= 2
    assert "How it was found" in done.out


def test_counted_rows_are_listed_and_drawn(type_in: Type, tmp_path: Path) -> None:
    done = type_in(
        "How many customers are from Brazil?", "list them", "Number of customers by country", "as a chart",
        "chart rows.json", "save talk.md", "save talk.json",
    )  # fmt: skip
    assert "Ana Lima" in done.out
    assert "█" in done.out
    assert (tmp_path / "rows.json").exists()
    assert "Ana Lima" in (tmp_path / "talk.md").read_text()
    assert "Number of customers by country" in (tmp_path / "talk.json").read_text()


def test_what_fails_is_told_and_the_next_line_is_taken(type_in: Type) -> None:
    done = type_in("choose 1", "/choose", "chart", "/save talk.pdf", "How many customers are there?")
    assert "Error: " in done.err
    assert "Traceback" not in done.err
    assert "3 customers." in done.out


def test_a_question_goes_on_from_a_file(fathom: Fathom, type_in: Type, shop: Path, tmp_path: Path) -> None:
    type_in("How many customers are from Brazil?", "/save talk.json")
    assert "Bo Ek" not in fathom("ask", shop, "list them", "--after", "talk.json").out
    before = fathom("ask", shop, "How many customers are from Brazil?", "--json").out
    (tmp_path / "answer.json").write_text(before)
    assert (
        "1 customer whose country is Sweden."
        in fathom("ask", shop, "and from Sweden?", "--after", "answer.json").out
    )
    assert "No such file" in fathom("ask", shop, "and from Sweden?", "--after", "gone.json").err


@pytest.fixture
def talk(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Conversation]:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    with connect(shop) as database:
        yield Conversation(prepare(database))


def completed(talk: Conversation, typed: str) -> list[str]:
    found = NameCompleter(talk, COMMANDS).get_completions(Document(typed), CompleteEvent())
    return [c.text for c in found]


def test_names_of_the_database_are_completed(talk: Conversation) -> None:
    assert completed(talk, "ta") == ["tables"]
    assert completed(talk, "show cu") == ["customer"]
    assert completed(talk, "how much did they sp") == ["spent"]
    assert completed(talk, "customers in Bra") == []  # no index of values yet
    with ValueIndex.open_or_build(talk.asking.database, talk.asking.context.cache):
        pass
    assert completed(talk, "customers in Bra") == ["Brazil"]
    assert completed(talk, "customers called Li") == ["Ana Lima"]
    assert completed(talk, "customers in %") == []


def test_lines_are_edited_and_remembered_for_the_owner_alone(talk: Conversation) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("how many x\x7fcustomers\r\x03exit\r\x04")
        assert list(edited_lines(talk, COMMANDS)) == ["how many customers", "exit"]
    cache = talk.asking.context.cache
    assert cache is not None
    assert "how many customers" in (cache / "history").read_text()
    assert stat.S_IMODE((cache / "history").stat().st_mode) == 0o600


def test_without_a_folder_to_write_lines_are_taken_all_the_same(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("hello\r\x04")
        assert list(edited_lines(talk, COMMANDS)) == ["hello"]


def test_an_unforeseen_error_is_told_and_the_prompt_goes_on(
    type_in: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr("fathom.answering.conversation.edit_follow_up", fail)
    monkeypatch.setattr("fathom.interfaces.cli.prompt.show_table", fail)
    done = type_in(
        "List the names of all customers.",
        "and from Brazil?",
        "show customer",
        "How many customers are there?",
    )
    assert done.code == 0
    reports = list((tmp_path / "cache" / "faults").iterdir())
    assert len(reports) == 2
    assert (done.out + done.err).count("Something went wrong inside Fathom (IndexError)") == 2
    assert "3 customers" in done.out
    assert "Traceback" not in done.out + done.err
