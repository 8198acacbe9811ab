"""A report's kinds tell the same: the page, Markdown and the terminal, each table with its N."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fathom.reports.report_files import write_report
from tests.command import Fathom
from tests.reports.stored import every_chapter

_COUNTED = re.compile(r"N = [\d,]+|[\d,]+ of [\d,]+")
RUNS = ("first", "second", "again", "without", "calls")
_COUNTS = {"N", "N judged", "N a run", "failures", "questions asked"}


class Tables(HTMLParser):
    """The tables of a page: caption, cells of the head, cells of each row; and the captions of its charts."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.charts: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append(("", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in {"th", "td"}:
            self.tables[-1][1][-1].append("")
        elif tag == "figcaption":
            self.charts.append("")
        if tag in {"caption", "th", "td", "figcaption"}:
            self._inside = tag
        elif tag == "span" and self._inside == "caption":
            self._inside = ""  # the note

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "caption":
            title, rows = self.tables[-1]
            self.tables[-1] = (title + data, rows)
        elif self._inside == "figcaption":
            self.charts[-1] += data
        elif self._inside:
            self.tables[-1][1][-1][-1] += data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report as a page and as Markdown, of runs that give every chapter."""
    folder = tmp_path_factory.mktemp("kinds")
    runs = every_chapter(folder)
    for ending in ("html", "md"):
        write_report(runs, folder / f"r.{ending}")
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Tables:
    found = Tables()
    found.feed((folder / "r.html").read_text(encoding="utf-8"))
    return found


def test_markdown_has_the_tables_of_the_page(folder: Path, page: Tables) -> None:
    markdown = (folder / "r.md").read_text(encoding="utf-8")
    chapters = re.findall(r"^## (.*)$", markdown, re.MULTILINE)
    assert chapters == ["In short", "Leaderboard", "As papers print it", "What more costs and brings",
                        "Paired tests", "Modules", "Charts", "Failures", "Tool calls", "Answers in words",
                        "Equivalence as a model judges it", "Overlap", "By group", "Repeat it"]  # fmt: skip
    assert re.findall(r"^### (.*)$", markdown, re.MULTILINE) == [title for title, _ in page.tables]
    blocks = re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE)[1:]
    assert [b.count("\n") - 2 for b in blocks] == [len(rows) - 1 for _, rows in page.tables]


def test_the_terminal_has_the_tables_of_the_page(
    folder: Path, page: Tables, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder)
    out = fathom("report", *RUNS, "--print").out
    assert max(map(len, out.splitlines())) <= 80
    told = [word.rstrip(":;") for word in out.split()]
    begins = [0]
    for title, _ in page.tables:
        words = [word.rstrip(":;") for word in title.split()]
        begins.append(next(i for i in range(begins[-1], len(told)) if told[i : i + len(words)] == words))
    for (title, rows), begin, end in zip(page.tables, begins[1:], [*begins[2:], len(told)], strict=True):
        words = [word.rstrip(":;") for row in rows for cell in row for word in cell.split()]
        assert {word for word in words if len(word) <= 20} <= set(told[begin:end]), title
    assert not (folder / "report.html").exists()
    refused = fathom("report", *RUNS, "--print", "-o", "r.md")
    assert (refused.code, "--print writes no file" in refused.err) == (1, True)


def test_the_terminal_tells_tokens_and_cost_by_module(folder: Path, fathom: Fathom) -> None:
    out = fathom("report", folder / "first", "--print").out
    table = out[out.index("Tokens, cost and time by module") :].splitlines()
    row = next(line.split() for line in table if "generation" in line)
    assert row == ["A:", "first", "generation", "1", "149", "124", "24.5"]
    (told,) = [line for line in fathom("compare", *(folder / n for n in RUNS[:2])).out.splitlines()
               if "every table of them" in line]  # fmt: skip
    assert told.endswith(f"fathom report {folder / 'first'} {folder / 'second'} --print")


def test_every_table_tells_how_many_questions_each_row_rests_on(page: Tables) -> None:
    without = [
        (title, row)
        for title, (head, *rows) in page.tables
        for row in rows
        if not _COUNTS & set(head) and not _COUNTED.search(" ".join(row))
    ]
    assert without == []
    # Where N is a column it stands before all figures: a narrow screen cuts off those at the right.
    places = {
        title: [i for i, name in enumerate(head) if name in _COUNTS] for title, (head, *_) in page.tables
    }
    assert [title for title, at in places.items() if at and at[0] > 2] == []


def test_every_chart_tells_how_many_questions_it_rests_on(page: Tables) -> None:
    assert len(page.charts) > 12
    assert [c for c in page.charts if not re.search(r" N\s=\s[\d,]+( to [\d,]+)?\.$", c)] == []


def test_nothing_is_told_by_colour_alone(folder: Path) -> None:
    text = (folder / "r.html").read_text(encoding="utf-8")
    drawn = [ElementTree.fromstring(svg) for svg in re.findall(r'<svg [^>]*class="chart">.*?</svg>', text)]
    lined = 0
    for chart in drawn:
        of_run = [g for g in chart.iter("g") if "of-run-" in g.get("class", "")]
        assert of_run
        assert all(g.findtext("text[@class='letter']") for g in of_run)
        places = [(t.get("x"), t.get("y")) for t in chart.iter("text") if t.get("class") == "letter"]
        assert len(set(places)) == len(places)  # also of the three runs that are equal
        dashes = [line.get("stroke-dasharray") for g in of_run for line in g
                  if line.get("class") in {"line", "shape"}]  # fmt: skip
        assert len(set(dashes)) == len(dashes)
        lined += len(dashes) > 3
        parts = [g for g in chart.iter("g") if g.find("rect[@class='part part-C']") is not None]
        assert all((g.findtext("title") or "").startswith("correct: ") for g in parts)
    assert lined >= 6
    assert re.findall(r'style="--h:[^"]*">\s*<', text) == []  # a tinted cell tells its number
