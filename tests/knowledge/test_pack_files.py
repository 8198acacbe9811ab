import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.errors import InputError, InputErrors
from fathom.knowledge import KnowledgePack, json_schema, load_packs
from fathom.records import SolvedExample
from tests import data

BROKEN = yaml.safe_load(Path(__file__).with_name("broken.yaml").read_text(encoding="utf-8"))

CLINIC = """
name: clinic
dialect: sqlite
tables:
  patients:
    description: People who came
    synonyms: cases
    columns:
      country: {values: {NO: Norway, 47: same, true: {meaning: checked, synonyms: [seen]}}}
      genes: {separator: ;, match: item}
glossary:
  - {term: old, tables: patients, condition: age > 65}
conventions:
  - name: alive
    rule: Only living patients count.
    source: the head nurse
    when: {tables: [patients], without_conditions_on: [died]}
    adds: {conditions: died IS NULL, limit: 100}
joins:
  - {table: visits, columns: patient, target_table: patients, target_columns: id}
examples:
  - {question: "How many patients?", sql: SELECT COUNT(*) FROM patients}
"""

CLINIC_TOML = """
name = "clinic"
dialect = "sqlite"
[tables.patients]
description = "People who came"
synonyms = ["cases"]
[tables.patients.columns]
country = {values = {NO = "Norway", 47 = "same", true = {meaning = "checked", synonyms = ["seen"]}}}
genes = {separator = ";", match = "item"}
[[glossary]]
term = "old"
tables = "patients"
condition = "age > 65"
[[conventions]]
name = "alive"
rule = "Only living patients count."
source = "the head nurse"
when = {tables = ["patients"], without_conditions_on = ["died"]}
adds = {conditions = "died IS NULL", limit = 100}
[[joins]]
table = "visits"
columns = "patient"
target_table = "patients"
target_columns = "id"
[[examples]]
question = "How many patients?"
sql = "SELECT COUNT(*) FROM patients"
"""


def write(folder: Path, text: str, name: str = "clinic.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_pack_reads_as_it_is_written(tmp_path: Path) -> None:
    pack = load_packs(write(tmp_path, CLINIC))
    country = pack.column("PATIENTS", "Country")
    assert country is not None
    assert {v: m.words for v, m in country.values.items()} == {
        "NO": ("Norway",),
        "47": ("same",),
        "true": ("checked", "seen"),
    }
    assert pack.glossary[0].condition == "age > 65"
    assert pack.conventions[0].columns == ("died",)
    assert pack.joins[0].columns == ("patient",)
    assert pack.examples == (SolvedExample("How many patients?", "SELECT COUNT(*) FROM patients"),)
    assert pack.sources == (str(tmp_path / "clinic.yaml"),)


def test_toml_and_json_say_the_same_as_yaml(tmp_path: Path) -> None:
    as_yaml = load_packs(write(tmp_path, CLINIC))
    dumped = json.dumps(as_yaml.model_dump(mode="json"))
    for name, text in (("clinic.toml", CLINIC_TOML), ("clinic.json", dumped)):
        other = load_packs(write(tmp_path, text, name))
        assert other.model_copy(update={"sources": ()}) == as_yaml.model_copy(update={"sources": ()})


@pytest.mark.parametrize("case", BROKEN, ids=range(len(BROKEN)))
def test_every_problem_is_told_with_its_line(case: dict[str, Any], tmp_path: Path) -> None:
    file = write(tmp_path, case["pack"])
    with pytest.raises(InputErrors) as caught:
        load_packs(file)
    found = [(p.line, p.field, p.problem) for p in caught.value.problems]
    assert [(line, field) for line, field, _ in found] == [(p[0], p[1]) for p in case["problems"]], found
    for (_, _, said), (_, _, part) in zip(found, case["problems"], strict=True):
        assert part in said
    assert str(caught.value).count(str(file)) == len(found)


def test_toml_problems_have_lines_too(tmp_path: Path) -> None:
    text = CLINIC_TOML.replace("rule =", "rul =").replace("description", "descripton")
    with pytest.raises(InputErrors) as caught:
        load_packs(write(tmp_path, text, "clinic.toml"))
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (5, "tables.patients.descripton"),
        (14, "conventions.0.rule"),
        (16, "conventions.0.rul"),
    ]
    with pytest.raises(InputErrors, match=r"line 2: not valid TOML: Invalid value$"):
        load_packs(write(tmp_path, 'name = "a"\ntables = [', "clinic.toml"))


def test_problems_of_all_files_come_together(tmp_path: Path) -> None:
    write(tmp_path, "nam: a", "a.yaml")
    write(tmp_path, "- b", "b.yaml")
    with pytest.raises(InputErrors) as caught:
        load_packs(tmp_path)
    assert [Path(str(p.file)).name for p in caught.value.problems] == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.yaml", b"\x00\x01\x02", "not a text file"),
        ("a.yaml", b"[" * 100_000, "nested too deeply"),
        ("a.csv", b"one,two\n1,2\n", "original_column_name"),
        ("a.json", b'{"table_metadata": {"t": [{"name": 1}]}}', "column_name"),
    ],
)
def test_what_is_no_pack_is_refused(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputErrors, match=problem):
        load_packs(tmp_path / name)


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    write(tmp_path, CLINIC)
    with pytest.raises(InputError, match=r"Did you mean '.*clinic.yaml'"):
        load_packs(tmp_path / "clinik.yaml")
    with pytest.raises(InputError, match="no pack files"):
        load_packs(_empty(tmp_path))


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def test_no_pack_is_an_empty_pack() -> None:
    assert load_packs() == KnowledgePack()


def test_descriptions_in_any_encoding(tmp_path: Path) -> None:
    header = "original_column_name,column_name,column_description,data_format,value_description\n"
    row = 'Größe,size,the size \N{EN DASH} or so,integer,"F: für Frauen\nM: für Männer"\n'
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16"):
        (tmp_path / "t.csv").write_bytes((header + row).encode(encoding))
        note = load_packs(tmp_path / "t.csv").column("t", "GRÖSSE".replace("SS", "ß"))
        assert note is not None
        assert (note.name, note.description) == ("size", "the size \N{EN DASH} or so")
        assert note.values["F"].meaning == "für Frauen"


def test_bird_descriptions_load() -> None:
    folder = data.needed("bird", "database_description")
    packs = {f.name: load_packs(f) for f in folder.iterdir()}
    assert len(packs) == 11
    loan = packs["financial"].column("loan", "status")
    assert loan is not None
    assert sorted(loan.values) == ["A", "B", "C", "D"]
    assert sum(len(t.columns) for p in packs.values() for t in p.tables.values()) > 700


def test_sql_eval_descriptions_load() -> None:
    packs = {f.stem: load_packs(f) for f in data.needed("sql_eval", "descriptions").glob("*.json")}
    assert len(packs) == 11
    terms = {t.term: t for t in packs["broker"].glossary}
    assert terms["ADV"].expression == "AVG(sbDpVolume)"
    assert terms["ADV"].tables == ("sbDailyPrice",)
    joins = {(j.table, j.target_table) for j in packs["car_dealership"].joins}
    assert ("cars", "sales") in joins


def test_the_json_schema_accepts_a_pack_and_its_shorthand() -> None:
    schema = json_schema()
    assert set(schema["properties"]) >= {"tables", "glossary", "conventions", "joins", "examples", "$schema"}
    assert "sources" not in schema["properties"]
    assert schema["$defs"]["TableNote"]["properties"]["synonyms"]["anyOf"][0] == {"type": "string"}
    values = schema["$defs"]["ColumnNote"]["properties"]["values"]["additionalProperties"]
    assert {"type": ["string", "number", "boolean"]} in values["anyOf"]
    json.dumps(schema)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.integers(0, len(CLINIC)),
    length=st.integers(0, 30),
    inserted=st.text(max_size=12),
    name=st.sampled_from(["p.yaml", "p.toml", "p.json", "p.csv"]),
)
def test_damaged_files_give_clear_errors(
    start: int, length: int, inserted: str, name: str, tmp_path: Path
) -> None:
    text = CLINIC_TOML if name == "p.toml" else CLINIC
    damaged = text[:start] + inserted + text[start + length :]
    (tmp_path / name).write_bytes(damaged.encode("utf-8", "surrogatepass"))
    with contextlib.suppress(InputError):
        load_packs(tmp_path / name)


def test_what_is_offered_for_a_missing_pack_are_no_settings(tmp_path: Path) -> None:
    for name in ("config.toml", "pyproject.toml", "clinic.yaml"):
        (tmp_path / name).write_text("")
    with pytest.raises(InputError) as raised:
        load_packs(tmp_path / "zzz")
    assert "clinic.yaml" in str(raised.value)
    assert "config.toml" not in str(raised.value)
    assert "pyproject" not in str(raised.value)
