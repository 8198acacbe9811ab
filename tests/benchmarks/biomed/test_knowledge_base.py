import hashlib
import math
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from fathom.benchmarks.biomed import DEMO_ROWS, biomed, build, build_published, demo
from fathom.benchmarks.biomed.tables import (
    AD_GWAS,
    AD_PATHWAYS,
    ALL_COLUMNS,
    ALS_GWAS,
    COLUMNS,
    DRUGS,
    EXPRESSION,
    FREQUENCIES,
    GENES,
    INDICATIONS,
    MECHANISMS,
    PD_GWAS,
    POPULATIONS,
    PUBLISHED,
    SMR,
    TRIALS,
)
from fathom.errors import ConfigError, InputErrors
from tests.data import ROOT
from tests.disks import fill, small_disk


def digest(path: Path) -> str:
    """A digest of every row of every table, in order."""
    found = hashlib.sha256()
    with duckdb.connect(str(path), read_only=True) as connection:
        for table in COLUMNS:
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            while rows := cursor.fetchmany(20_000):
                found.update(repr(rows).encode())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_rows_whatever_the_chunks(tmp_path: Path) -> None:
    first = digest(build(tmp_path / "a.duckdb", rows=20_000, seed=3))
    assert digest(build(tmp_path / "b.duckdb", rows=20_000, seed=3, chunk_rows=997)) == first
    assert digest(build(tmp_path / "c.duckdb", rows=20_000, seed=4)) != first


def test_sqlite_holds_the_same(tmp_path: Path) -> None:
    a = build(tmp_path / "a.duckdb", rows=20_000)
    b = build(tmp_path / "a.sqlite", rows=20_000)
    with duckdb.connect(str(a), read_only=True) as one, closing(sqlite3.connect(b)) as other:
        for table in (DRUGS, SMR, AD_PATHWAYS):
            query = f'SELECT * FROM "{table}" ORDER BY "UUID" LIMIT 200'
            assert one.execute(query).fetchall() == other.execute(query).fetchall()


def test_tables_columns_and_proportions_are_those_published(small: duckdb.DuckDBPyConnection) -> None:
    counts = {}
    for table, columns in COLUMNS.items():
        described = small.execute(f'DESCRIBE "{table}"').fetchall()
        assert [(row[0], row[1]) for row in described] == list(columns.items())
        counts[table] = _one(small, f'SELECT COUNT(*) FROM "{table}"')
    share = DEMO_ROWS / sum(PUBLISHED.values())
    for table in (AD_GWAS, PD_GWAS, SMR, FREQUENCIES):
        assert counts[table] == pytest.approx(PUBLISHED[table] * share, abs=1)
    assert (counts[AD_PATHWAYS], counts[DRUGS]) == (542, 1_000)
    assert DEMO_ROWS <= sum(counts.values()) <= 1.05 * DEMO_ROWS


def test_the_page_tells_the_rows_that_are_there(small: duckdb.DuckDBPyConnection) -> None:
    page = (ROOT / "docs" / "sample-database.md").read_text(encoding="utf-8")
    told = {t: int(n.replace(",", "")) for t, n in re.findall(r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", page, re.M)}
    assert told == {t: _one(small, f'SELECT COUNT(*) FROM "{t}"') for t in COLUMNS}


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])


def test_statistics_agree_with_each_other(small: duckdb.DuckDBPyConnection) -> None:
    for table in (AD_GWAS, PD_GWAS):
        rows = small.execute(f"SELECT b, se, p, freq FROM {table} USING SAMPLE 3000").fetchall()
        for b, se, p, freq in rows:
            expected = math.erfc(abs(b / se) / math.sqrt(2))
            assert p == pytest.approx(max(expected, 1e-300), rel=6e-4)
            assert 0 < freq < 1
    tests = small.execute(
        f"SELECT b_GWAS, se_GWAS, b_eQTL, se_eQTL, b_SMR, se_SMR, p_SMR FROM {SMR}"
    ).fetchall()
    for b_gwas, se_gwas, b_eqtl, se_eqtl, b_smr, se_smr, p_smr in tests:
        assert b_smr == pytest.approx(b_gwas / b_eqtl, rel=1e-4, abs=1e-12)
        if b_gwas:
            one, two = b_gwas / se_gwas, b_eqtl / se_eqtl
            z = abs(one * two) / math.hypot(one, two)
            assert se_smr == pytest.approx(abs(b_smr) / z, rel=1e-4)
            assert p_smr == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-4)


@pytest.mark.parametrize(
    ("table", "genes"),
    [
        (AD_GWAS, ["APOE", "BIN1", "CLU", "ABCA7", "CR1", "PICALM", "MS4A6A", "TREM2"]),
        (PD_GWAS, ["SNCA", "LRRK2", "GBA1", "MAPT", "TMEM175"]),
    ],
)
def test_hits_stand_where_they_are_known_to(
    table: str, genes: list[str], small: duckdb.DuckDBPyConnection
) -> None:
    hits = {row[0] for row in small.execute(f"SELECT nearestGene FROM {table} WHERE p < 5e-8").fetchall()}
    assert hits >= set(genes)
    # Away from the loci chance alone must give about its share of small p-values.
    quiet = f"FROM {table} WHERE CAST(split_part(UUID, '_', -1) AS BIGINT) > 3000"
    share = _one(small, f"SELECT COUNT(*) {quiet} AND p < 0.05") / _one(small, f"SELECT COUNT(*) {quiet}")
    assert 0.04 < share < 0.07


def test_the_same_things_are_in_all_tables(small: duckdb.DuckDBPyConnection) -> None:
    for table, snp in ((AD_GWAS, "SNP"), (PD_GWAS, "SNP"), (SMR, "topSNP")):
        lost = (
            f"SELECT COUNT(*) FROM {table} t LEFT JOIN {FREQUENCIES} f ON t.{snp} = f.SNP WHERE f.SNP IS NULL"
        )
        assert _one(small, lost) == 0
    assert _one(small, f"SELECT COUNT(*) - COUNT(DISTINCT SNP) FROM {FREQUENCIES}") == 0
    for table in COLUMNS:
        assert _one(small, f"SELECT COUNT(*) - COUNT(DISTINCT UUID) FROM {table}") == 0
    alleles = (
        f"SELECT COUNT(*) FROM {PD_GWAS} p JOIN {AD_GWAS} a USING (SNP) "
        "WHERE NOT ((p.A1 = a.A1 AND p.A2 = a.A2) OR (p.A1 = a.A2 AND p.A2 = a.A1)) "
    )
    assert _one(small, alleles) == 0
    same = f"{SMR} s JOIN {AD_GWAS} a ON s.topSNP = a.SNP WHERE s.Disease = 'AD' AND s.b_GWAS <> a.b"
    assert _one(small, f"SELECT COUNT(*) FROM {same}") == 0
    known = f"SELECT chemblIdentifier, drugName FROM {DRUGS}"
    assert _one(small, f"SELECT COUNT(*) - COUNT(DISTINCT (Gene, Disease, Omic)) FROM {SMR}") == 0
    drugs = f"(SELECT chemblId, drugName FROM {INDICATIONS} EXCEPT {known})"
    assert _one(small, f"SELECT COUNT(*) FROM {drugs}") == 0
    phases = f"SELECT drugName, MAX(max_phase_for_ind) AS phase FROM {INDICATIONS} GROUP BY drugName"
    wrong = "CAST(FLOOR(phase) AS INT) <> maxClinicalTrialPhase"
    assert _one(small, f"SELECT COUNT(*) FROM ({phases}) JOIN {DRUGS} USING (drugName) WHERE {wrong}") == 0
    assert _one(small, f"SELECT COUNT(*) FROM ({phases} HAVING COUNT(DISTINCT max_phase_for_ind) > 1)") > 100


def test_what_is_missing_and_what_is_joined(small: duckdb.DuckDBPyConnection) -> None:
    for condition, table in (
        ("nearestGene LIKE '%;%'", AD_GWAS),
        ("chr_38 = 0 AND bp_38 = 0", PD_GWAS),
        ("p_HEIDI IS NULL AND nsnp_HEIDI IS NULL", SMR),
        ("patent_no IS NULL", INDICATIONS),
        ("yearOfFirstApproval IS NULL", INDICATIONS),
        ("tradeNames_string LIKE '%, %'", DRUGS),
    ):
        assert 0 < _one(small, f"SELECT COUNT(*) FROM {table} WHERE {condition}") < PUBLISHED[table]


def test_the_demo_is_made_once_and_anew_with_a_new_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, int, int]] = []
    made = biomed(tmp_path, progress=lambda *said: heard.append(said))
    assert heard[-1][1] == heard[-1][2] >= 200_000
    assert {table for table, _, _ in heard} == set(COLUMNS)
    before = made.stat().st_mtime_ns
    assert biomed(tmp_path) == made
    assert made.stat().st_mtime_ns == before
    monkeypatch.setattr(demo, "GENERATOR_VERSION", demo.GENERATOR_VERSION + 1)
    assert biomed(tmp_path) != made
    assert [f.name for f in tmp_path.iterdir()] == [f"biomed-{demo.GENERATOR_VERSION}.duckdb"]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        fill(disk)
        with pytest.raises(ConfigError, match=r"sample database can't be made in .* Set FATHOM_CACHE"):
            biomed(disk)
        assert [f.name for f in disk.iterdir()] == ["filler"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def stop(table: str, done: int, rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "a.duckdb", rows=20_000, progress=stop)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match="at least 20,000 rows"):
        build(tmp_path / "a.duckdb", rows=5)
    (tmp_path / "a.duckdb").write_text("mine")
    with pytest.raises(FileExistsError):
        build(tmp_path / "a.duckdb", rows=20_000)
    assert (tmp_path / "a.duckdb").read_text() == "mine"


def test_published_parquet_files_load(small_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parquet"
    folder.mkdir()
    with duckdb.connect(str(small_file), read_only=True) as connection:
        for table in COLUMNS:
            connection.execute(f"COPY (FROM \"{table}\" LIMIT 50) TO '{folder}/{table}.parquet'")
        connection.execute(f"COPY (FROM {SMR} LIMIT 7) TO '{folder}/{SMR}-00001.parquet'")
    loaded = build_published(folder, tmp_path / "loaded.duckdb")
    with duckdb.connect(str(loaded), read_only=True) as connection:
        assert _one(connection, f"SELECT COUNT(*) FROM {SMR}") == 57
        assert _one(connection, f"SELECT COUNT(*) FROM {DRUGS}") == 50


def test_what_is_missing_among_published_files_is_told(small_file: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(small_file), read_only=True) as connection:
        for table in COLUMNS:
            columns = "* EXCLUDE (p)" if table == AD_GWAS else "*"
            connection.execute(
                f"COPY (SELECT {columns} FROM \"{table}\" LIMIT 5) TO '{tmp_path}/{table}.parquet'"
            )
    with pytest.raises(InputErrors, match="no column 'p'"):
        build_published(tmp_path, tmp_path / "out.duckdb")
    (tmp_path / f"{DRUGS}.parquet").rename(tmp_path / f"{DRUGS[:-4]}.parquet".lower())
    with pytest.raises(InputErrors, match=rf"no Parquet file for the table '?{DRUGS}.*Did you mean"):
        build_published(tmp_path, tmp_path / "out.duckdb")
    assert not (tmp_path / "out.duckdb").exists()


def test_twenty_tables_hold_the_same_ten_and_ten_more(tmp_path: Path) -> None:
    ten, twenty = (
        build(tmp_path / f"{n}.duckdb", rows=20_000, seed=3, table_count=n, chunk_rows=5_000)
        for n in (10, 20)
    )
    assert digest(ten) == digest(twenty)
    with duckdb.connect(str(twenty), read_only=True) as connection:
        names = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        assert names == set(ALL_COLUMNS)
        for table in ALL_COLUMNS:
            described = [(r[0], r[1]) for r in connection.execute(f'DESCRIBE "{table}"').fetchall()]
            assert described == list(ALL_COLUMNS[table].items())
            counted = f'SELECT COUNT(*), COUNT(DISTINCT "UUID") FROM "{table}"'
            rows, ids = connection.execute(counted).fetchone() or (0, 0)
            assert rows == ids > 0


@pytest.mark.parametrize(
    "orphans",
    [
        f'SELECT "chemblId" FROM "{TRIALS}" EXCEPT SELECT "chemblIdentifier" FROM "{DRUGS}"',
        f'SELECT "mesh_heading" FROM "{TRIALS}" EXCEPT SELECT "mesh_heading" FROM "{INDICATIONS}"',
        f'SELECT "drugName" FROM "{MECHANISMS}" EXCEPT SELECT "drugName" FROM "{DRUGS}"',
        f'SELECT "SNP" FROM "{POPULATIONS}" EXCEPT SELECT "SNP" FROM "{FREQUENCIES}"',
        f'SELECT "SNP" FROM "{ALS_GWAS}" EXCEPT SELECT "SNP" FROM "{AD_GWAS}"',
        f'SELECT "tissue" FROM "{EXPRESSION}" EXCEPT SELECT "Omic_tissue" FROM "{SMR}"',
        f'SELECT "Gene" FROM "{SMR}" EXCEPT SELECT "Gene" FROM "{GENES}"',
    ],
)
def test_further_tables_share_the_keys(orphans: str, twenty: duckdb.DuckDBPyConnection) -> None:
    assert twenty.execute(orphans).fetchall() == []


def test_no_trial_is_in_a_phase_that_its_drug_has_not_reached(twenty: duckdb.DuckDBPyConnection) -> None:
    beyond = f"""
        SELECT COUNT(*) FROM "{TRIALS}" AS t JOIN (
            SELECT "chemblId", "mesh_heading", MAX("max_phase_for_ind") AS reached
            FROM "{INDICATIONS}" GROUP BY ALL
        ) AS i ON t."chemblId" = i."chemblId" AND t."mesh_heading" = i."mesh_heading"
        WHERE t."phase" > GREATEST(i.reached, 1)
    """
    assert twenty.execute(beyond).fetchone() == (0,)


def test_another_count_of_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="10 or 20 tables, not 12"):
        build(tmp_path / "a.duckdb", rows=20_000, table_count=12)
