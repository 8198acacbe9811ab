"""Lessons in a file: kept, read as a pack, undone, by several at once, and never in an expert's file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from fathom.config import Settings
from fathom.errors import ConfigError, InputError
from fathom.knowledge import load_packs, packs_beforehand
from fathom.knowledge.lessons import (
    LessonFile,
    LessonNotFound,
    convention,
    lesson_file,
    pack_as_yaml,
    pack_of,
    solved,
    synonym,
    value_name,
)

ALL = (
    (solved("How many?", "SELECT COUNT(*) FROM t"), "“How many?” is answered by: SELECT COUNT(*) FROM t"),
    (synonym("punters", "customer"), "“punters” is customer"),
    (synonym("home", "customer", "city"), "“home” is customer.city"),
    (value_name("Suisse", "customer", "country", "CH"), "“Suisse” is the value 'CH' of customer.country"),
    (convention("Only the living", tables=["t"], condition="died IS NULL", words=["now"]), "Only the living"),
)


@pytest.fixture
def file(tmp_path: Path) -> LessonFile:
    return LessonFile(tmp_path / "learned" / "shop.yaml")


def test_all_kinds_are_kept_and_read_back(file: LessonFile) -> None:
    for lesson, _ in ALL:
        file.add(lesson)
    assert file.lessons == tuple(lesson for lesson, _ in ALL)
    assert [lesson.text for lesson in file.lessons] == [text for _, text in ALL]


def test_the_file_is_a_pack(file: LessonFile) -> None:
    for lesson, _ in ALL:
        file.add(lesson)
    pack = load_packs(file.file)
    assert [e.question for e in pack.examples] == ["How many?"]
    assert pack.tables["customer"].synonyms == ("punters",)
    assert pack.tables["customer"].columns["city"].synonyms == ("home",)
    assert pack.glossary[0].value == "CH"
    assert pack.conventions[0].adds.conditions == ("died IS NULL",)
    assert pack.conventions[0].when.words == ("now",)


def test_what_is_printed_to_paste_is_a_pack(file: LessonFile, tmp_path: Path) -> None:
    for lesson, _ in ALL:
        file.add(lesson)
    pasted = tmp_path / "expert.yaml"
    pasted.write_text(pack_as_yaml(pack_of(file.lessons, file.file)))
    kept, read = load_packs(file.file), load_packs(pasted)
    assert (read.examples, read.tables, read.glossary) == (kept.examples, kept.tables, kept.glossary)


def test_a_lesson_is_undone(file: LessonFile) -> None:
    for lesson, _ in ALL:
        file.add(lesson)
    gone = file.remove(ALL[1][0].id)
    assert gone == ALL[1][0]
    assert len(file.lessons) == len(ALL) - 1
    with pytest.raises(LessonNotFound, match=gone.id):
        file.remove(gone.id)


def test_later_lessons_go_on_top(file: LessonFile) -> None:
    file.add(solved("How many?", "SELECT 1"))
    file.add(solved("how many?", "SELECT 2"))
    (example,) = load_packs(file.file).examples
    assert example.sql == "SELECT 2"


def test_several_may_teach_at_once(file: LessonFile) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: file.add(solved(f"q{n}", "SELECT 1")), range(20)))
    assert len(file.lessons) == 20


@pytest.mark.parametrize("text", ["lessons: 3", "lessons: [{kind: nonsense}]", "[1]", "lessons: [", "\x00"])
def test_a_damaged_file_is_named_and_not_written_over(file: LessonFile, text: str) -> None:
    file.file.parent.mkdir()
    file.file.write_text(text)
    with pytest.raises(InputError, match=str(file.file)):
        file.add(ALL[0][0])
    assert file.file.read_text() == text


def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="can't be kept"):
        LessonFile(tmp_path / "file" / "x.yaml").add(ALL[0][0])


@pytest.mark.parametrize("word", ["", "  \n"])
def test_no_word_teaches_nothing(word: str) -> None:
    with pytest.raises(InputError, match="no word"):
        synonym(word, "t")


@pytest.mark.parametrize("condition", ["DROP TABLE t", "a = (SELECT 1)", "a =", "1; DELETE FROM t"])
def test_a_condition_is_one(condition: str) -> None:
    with pytest.raises(InputError, match="SQL expression"):
        convention("rule", tables=["t"], condition=condition)


def settings(tmp_path: Path, **databases: str) -> Settings:
    return Settings(tmp_path / "config.toml", tmp_path / "cache", databases=databases)


def test_a_database_has_one_file_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known = settings(tmp_path, shop=str(tmp_path / "shop.db"))
    names = ("shop", "shop.db", str(tmp_path / "shop.db"), f"sqlite:///{tmp_path}/shop.db")
    assert len({lesson_file(name, known).file for name in names}) == 1
    urls = ("postgresql://a:secret@host/shop", "postgresql+psycopg://b@host/shop")
    files = {lesson_file(url, known).file for url in urls}
    assert len(files) == 1
    assert "secret" not in str(files)
    assert lesson_file("demo:biomed", known).file != lesson_file("biomed", known).file


def test_lessons_go_on_top_of_the_experts_pack(tmp_path: Path) -> None:
    expert = tmp_path / "expert.yaml"
    expert.write_text("examples: [{question: q, sql: SELECT 1}]")
    known = Settings(
        tmp_path / "config.toml", tmp_path, databases={"shop": "shop.db"}, packs={"shop": (expert,)}
    )
    before = expert.read_text()
    lesson_file("shop", known).add(solved("q", "SELECT 2"))
    assert load_packs(*packs_beforehand("shop", known)).examples[0].sql == "SELECT 2"
    assert expert.read_text() == before
    assert yaml.safe_load(lesson_file("shop", known).file.read_text())["lessons"][0]["kind"] == "example"
