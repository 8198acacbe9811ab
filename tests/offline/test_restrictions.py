"""Numbers of named columns, parts of texts, states, spans and shortened names that restrict rows."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

HOMES = """
CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, owner_name TEXT, email TEXT, home_city TEXT);
CREATE TABLE property (prop_id TEXT PRIMARY KEY, owner_id INTEGER REFERENCES owner, address TEXT, city TEXT,
    prop_type TEXT, bedrooms INTEGER, sq_ft INTEGER);
CREATE TABLE lease (lease_id INTEGER PRIMARY KEY, prop_id TEXT REFERENCES property, start_date DATE,
    end_date DATE, monthly_rent INTEGER);
CREATE TABLE maint_request (req_id INTEGER PRIMARY KEY, prop_id TEXT REFERENCES property, category TEXT,
    reported_on DATE, resolved_on DATE);
INSERT INTO owner VALUES (1, 'Dev Garcia', 'dev@x.org', 'Waco'), (2, 'Harbor Homes Trust', NULL, 'Austin'),
    (3, 'Ann Bank', 'ann@x.org', 'Waco');
INSERT INTO property VALUES ('P1', 1, '12 Oak St', 'Austin', 'house', 3, 1200),
    ('P2', 1, '80 Oak St', 'Houston', 'loft', 1, NULL), ('P3', 2, '7 River Rd', 'Austin', 'house', 4, 1500),
    ('P4', 3, '9 Elm St', 'Houston', 'studio', 0, NULL), ('P5', 3, '31 River Rd', 'Waco', 'loft', 2, 700);
INSERT INTO lease VALUES (1, 'P1', '2021-01-01', '2021-12-31', 900),
    (2, 'P1', '2022-02-01', '2023-01-31', 950),
    (3, 'P2', '2022-06-01', '2023-05-31', 1300), (4, 'P3', '2020-03-01', '2022-06-30', 800);
INSERT INTO maint_request VALUES (1, 'P1', 'plumbing', '2022-01-08', '2022-01-10'),
    (2, 'P2', 'plumbing', '2022-03-12', NULL), (3, 'P3', 'roof', '2022-03-14', NULL),
    (4, 'P4', 'plumbing', '2023-02-05', '2023-02-20'), (5, 'P2', 'roof', '2021-07-07', '2021-09-01');
"""
PAPERS = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, h_index INTEGER);
CREATE TABLE venue (venue_id INTEGER PRIMARY KEY, venue_name TEXT, venue_type TEXT);
CREATE TABLE paper (paper_id INTEGER PRIMARY KEY, title TEXT, venue_id INTEGER REFERENCES venue,
    pub_date DATE, n_pages INTEGER, doi TEXT);
CREATE TABLE writes (author_id INTEGER REFERENCES author, paper_id INTEGER REFERENCES paper,
    PRIMARY KEY (author_id, paper_id));
CREATE TABLE citation (citing_paper INTEGER REFERENCES paper, cited_paper INTEGER REFERENCES paper,
    PRIMARY KEY (citing_paper, cited_paper));
INSERT INTO author VALUES (1, 'Ann Ito', 'UK', 31), (2, 'Bo Haas', 'USA', 12), (3, 'Kim Eze', 'Kenya', 40);
INSERT INTO venue VALUES (1, 'Annals of Data', 'journal'), (2, 'Symposium on Networks', 'conference');
INSERT INTO paper VALUES (1, 'A Survey of Joins', 1, '2018-06-02', 9, 'd1'),
    (2, 'Limits of Learning', 2, '2021-08-01', 10, NULL), (3, 'Deep Graphs', NULL, '2019-03-03', 8, 'd3'),
    (4, 'Survey Methods', 2, '2022-05-04', 24, 'd4'), (5, 'Fast Graphs', 1, '2020-01-06', 15, NULL);
INSERT INTO writes VALUES (1, 1), (1, 4), (2, 2), (3, 3), (3, 4);
INSERT INTO citation VALUES (2, 1), (4, 1), (4, 2), (5, 3);
"""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(HOMES, tmp_path_factory.mktemp("homes")) as database:
        yield database


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(PAPERS, tmp_path_factory.mktemp("papers")) as database:
        yield database


def answered(asked: str, database: Database) -> set[Any]:
    answer = ask(asked, database)
    assert answer.result is not None, asked
    return {*answer.result.rows}


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("properties with two or more bedrooms", {("P1",), ("P3",), ("P5",)}),
        ("How many properties with 1 or 2 bedrooms do we have?", {(2,)}),
        ("Which properties are on Oak St?", {("P1",), ("P2",)}),
        (
            "Which properties with two or more bedrooms are on Oak St or River Rd?",
            {("P1",), ("P3",), ("P5",)},
        ),
        ("owners with Bank or Homes in their name", {("Harbor Homes Trust",), ("Ann Bank",)}),
        ("owners whose name starts with Dev", {("Dev Garcia",)}),
        ("Show the addresses of the properties whose size we don't know", {("80 Oak St",), ("9 Elm St",)}),
        ("Which owners have not given us an email address?", {("Harbor Homes Trust",)}),
        ("How many owners have an email address?", {(2,)}),
        ("Which properties have never been let?", {("P4",), ("P5",)}),
        ("open plumbing requests", {(2,)}),
        ("How many unresolved requests are there?", {(2,)}),
        ("Which leases run out in the first quarter of 2023?", {(2,)}),
        ("How many leases were running on 12 June 2022?", {(3,)}),
        ("leases active in March 2022", {(2,), (4,)}),
        ("requests reported since the end of 2021", {(1,), (2,), (3,), (4,)}),
        ("How many requests were reported on a Saturday or a Sunday?", {(3,)}),
        ("properties anywhere but Austin", {("P2",), ("P4",), ("P5",)}),
        ("properties of any type but house", {("P2",), ("P4",), ("P5",)}),
        ("Which properties made no request in 2022?", {("P4",), ("P5",)}),
    ],
)
def test_homes(asked: str, rows: set[Any], homes: Database) -> None:
    assert answered(asked, homes) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("titles that contain Survey or Limits of papers with no more than ten pages",
         {("A Survey of Joins",), ("Limits of Learning",)}),
        ("authors outside the UK whose h-index is 30 or more", {("Kim Eze",)}),
        ("papers with a title that contains Survey", {("A Survey of Joins",), ("Survey Methods",)}),
        ("How many papers didn't appear at any venue?", {(1,)}),
        ("Which papers from before 2021 has nobody ever cited?", {("Fast Graphs",)}),
        ("papers that have never been cited", {("Survey Methods",), ("Fast Graphs",)}),
        ("authors whose very first paper appeared after June 2021", {("Bo Haas",)}),
        ("authors whose last paper appeared before 2022", {("Bo Haas",)}),
        ("conference papers 2022", {("Survey Methods",)}),
        ("papers in the Annals", {("A Survey of Joins",), ("Fast Graphs",)}),
        ("papers published between 2018 and 2020",
         {("A Survey of Joins",), ("Deep Graphs",), ("Fast Graphs",)}),
        ("papers longer than 10 pages", {("Survey Methods",), ("Fast Graphs",)}),
    ],
)  # fmt: skip
def test_papers(asked: str, rows: set[Any], papers: Database) -> None:
    assert answered(asked, papers) == rows


def test_shares_of_rows_with_something(papers: Database) -> None:
    ((share,),) = answered("What percentage of papers have a DOI?", papers)
    assert share == pytest.approx(60.0)


def test_a_name_said_in_full_is_told(papers: Database) -> None:
    answer = ask("papers in the Annals", papers)
    assert any("Annals of Data" in a.text for a in answer.assumptions)


@pytest.mark.parametrize(
    "asked",
    [
        "properties on Main St",
        "owners named Dev",  # may be looked for as it is
        "properties whose colour is unknown",
        "pending leases of houses nobody likes",
        "properties with more than two pets",
        "properties with more than 3 bedrooms and less than 2 bedrooms",
    ],
)
def test_what_is_nowhere_is_declined(asked: str, homes: Database) -> None:
    assert ask(asked, homes).refusal is not None
