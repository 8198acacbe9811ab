import base64
import json
import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import ConfigError, InputError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question
from fathom.reports.drilldown import highlight
from fathom.reports.page import build_page
from fathom.reports.report_files import write_report
from tests.evaluation.runs.bench import make_benchmark
from tests.reports.stored import make_run

ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}<!--"


class Seen(HTMLParser):
    """What a browser would find: scripts that would run, and attributes that reach out or run."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[dict[str, str | None]] = []
        self.tags: set[str] = set()
        self.dangerous: list[tuple[str, str, str | None]] = []
        self.text: dict[str, str] = {}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self._inside = given.get("id") or "" if tag == "script" else self._inside
        if tag == "script":
            self.scripts.append(given)
        for name, value in attrs:
            reaches = name in {"src", "href", "action"} and not (value or "").startswith("#")
            if name.startswith("on") or reaches:
                self.dangerous.append((tag, name, value))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.text[self._inside] = self.text.get(self._inside, "") + data


def _seen(page: str) -> Seen:
    seen = Seen()
    seen.feed(page)
    return seen


def _questions(seen: Seen) -> list[dict[str, Any]]:
    chunks = [seen.text[k] for k in sorted(seen.text) if k.startswith("chunk-")]
    return [q for c in chunks for q in json.loads(zlib.decompress(base64.b64decode(c)))]


def test_everything_is_on_the_page(tmp_path: Path) -> None:
    write_report([make_run(tmp_path / "a", seed=1), make_run(tmp_path / "b", seed=2)], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for title in ("Leaderboard", "Paired tests", "Modules", "By difficulty", "By category", "Correct against",
                  "CR@budget", "pass@k", "Risk and coverage", "Calibration", "Overlap of failures",
                  "solved by exactly", "Correct by database", "Failures by BIRD",
                  "Before and after revision", "Bottlenecks", "Repeat it"):  # fmt: skip
        assert title in page, title
    questions = _questions(_seen(page))
    assert len(questions) == 50
    wrong = next(a for q in questions for a in q["runs"] if a["o"] == "i")
    assert "".join(wrong["sql"][1::2]).startswith("SELECT name FROM gene WHERE")
    assert wrong["difference"][0][0] == "filters"
    assert wrong["rows"]["rows"] == [["x"], [None]]
    assert wrong["trace"][0]["name"] == "propose"


def test_text_from_outside_stays_inert(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "a", seed=1, text=ATTACK), make_run(tmp_path / "b", seed=2, text=ATTACK)]
    write_report(runs, tmp_path / "r.html", title=ATTACK)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    seen = _seen(page)
    running = [s for s in seen.scripts if s.get("type") not in {"application/json", "text/plain"}]
    assert running == [{}]  # the page's own script, and no other
    assert seen.dangerous == []
    assert seen.tags.isdisjoint({"img", "iframe", "object", "embed", "link", "base", "form"})
    assert "alert(1)" in seen.text["index"]  # it is there, as text
    assert any(ATTACK in q["evidence"] for q in _questions(seen))
    assert "49" not in re.findall(r"<h1>(.*?)</h1>", page)[0]


def test_only_the_pages_own_script_maymake_run(tmp_path: Path) -> None:
    import hashlib

    write_report([make_run(tmp_path / "a", seed=1)], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0]
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in policy or "default-src 'none'" in policy
    assert f"sha256-{digest}" in policy.replace("&#43;", "+")
    assert not re.findall(r"(?:src|href)=\"?https?:", page)


def test_a_run_that_records_little_has_a_page_too(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)

    def wrong(question: Question) -> str:
        return "SELECT 1"

    with ThreadPoolExecutor(1) as pool:
        run = evaluate(benchmark, wrong, RunOptions(out=tmp_path / "run", limit=2, executor=pool))
    write_report([run.folder], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Paired tests" not in page
    assert "pass@k" not in page


def test_few_questions_are_listed_where_asked(tmp_path: Path) -> None:
    write_report([make_run(tmp_path / "a", seed=1)], tmp_path / "r.html", most_questions=10)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "The first 10 of 50 questions" in page
    assert len(_questions(_seen(page))) == 10


def test_the_same_figures_as_markdown_csv_and_json(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / n, seed=s, text="=1|<b>") for n, s in (("a", 1), ("b", 3))]
    for ending in ("md", "csv", "json"):
        write_report(runs, tmp_path / f"r.{ending}")
    markdown = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "McNemar" in markdown
    assert "<b>" not in markdown
    assert "=1\\|&lt;b&gt;" in markdown
    for title in ("Schema selection", "Query revision", "Tokens, cost and time by module", "Bottlenecks",
                  "pass@k", "Failures by BIRD", "Overlap of failures", "Correct at most",
                  "Correct by question type"):  # fmt: skip
        assert title in markdown, title
    rows = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("run,benchmark,split,grouping,group,metric,value,low,high,n")
    assert any("revision.I2C" in r for r in rows)
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert len(content["runs"]) == 2


def test_runs_that_differ_in_their_seed_are_one_with_a_spread(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / str(s), seed=s, method="m", settings={"n": 1}) for s in (1, 3)]
    file = runs[1] / "run.json"
    file.write_text(file.read_text().replace('"seed": 0', '"seed": 1'))
    write_report([*runs, make_run(tmp_path / "x", seed=2)], tmp_path / "r.md")
    markdown = (tmp_path / "r.md").read_text(encoding="utf-8")
    line = next(one for one in markdown.splitlines() if "±" in one and one[0] == "|")
    assert line.startswith("| m | 2 | 50 | 34.0 ± 0.0 % (34.0, 34.0)")


def test_a_report_tells_seed_time_and_machine_of_each_run(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", seed=1)
    content = json.loads((run / "run.json").read_text(encoding="utf-8"))
    content["configuration"]["seed"] = 7311
    place = {"python": "3.11.9", "platform": "Linux-6.1", "packages": {"sqlglot": "30.1"}}
    content["starts"] = [{"at": "2026-11-27T08:00:00+00:00"}, {"at": "2026-11-28T09:00:00+00:00", **place}]
    (run / "run.json").write_text(json.dumps(content), encoding="utf-8")
    write_report([run], tmp_path / "r.md")
    repeat = (tmp_path / "r.md").read_text(encoding="utf-8").partition("Repeat it")[2]
    assert "| 7311 | 2026-11-27T08:00:00+00:00 | 2 | – | – | 3.11.9 | Linux-6.1 | sqlglot 30.1 |" in repeat


def test_figures_of_candidates_say_what_is_not_among_them(tmp_path: Path) -> None:
    write_report([make_run(tmp_path / "run", seed=1)], tmp_path / "r.md")
    chapter = (tmp_path / "r.md").read_text(encoding="utf-8").partition("## Modules")[2]
    for table in ("Candidate generation", "Query revision"):
        told = chapter.partition(table)[2].partition("|")[0]
        assert "takes from solved questions are no candidates" in told


def test_levels_stand_in_their_order_everywhere(tmp_path: Path) -> None:
    for ending in ("md", "html"):
        write_report([make_run(tmp_path / ending, seed=1)], tmp_path / f"r.{ending}")
        text = (tmp_path / f"r.{ending}").read_text(encoding="utf-8")
        part = text[text.index("Correct by difficulty") :]
        assert part.index("simple") < part.index("hard") < part.index("odd")


@pytest.mark.parametrize(
    ("sql", "first"),
    [("SELECT 'a' FROM t", ["k", "SELECT", "", " "]), ("not ' sql", ["", "not ' sql"]), ("", [])],
)
def test_highlighting_keeps_every_character(sql: str, first: list[str]) -> None:
    pieces = highlight(sql)
    assert "".join(pieces[1::2]) == sql
    assert list(pieces[: len(first)]) == first


def test_what_cannot_be_reported_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        write_report([tmp_path], tmp_path / "r.html")
    with pytest.raises(ConfigError, match=r"ends in .html, .md, .tex, .csv, .json"):
        write_report([tmp_path], tmp_path / "r.pdf")


@pytest.mark.parametrize(
    ("names", "configured"),
    [
        (
            ("bench1", "bench2"),
            [{"benchmark": f"bench{n}", "split": "", "digest": str(n) * 64} for n in (1, 2)],
        ),
        (("b dev", "b train"), [{"split": split} for split in ("dev", "train")]),
    ],
    ids=["benchmarks", "splits of one benchmark"],
)
def test_charts_over_several_benchmarks_are_told_apart(
    tmp_path: Path, names: tuple[str, str], configured: list[dict[str, Any]]
) -> None:
    folders = [
        make_run(tmp_path / f"{i}-{seed}", seed=seed, **one)
        for seed in (1, 2) for i, one in enumerate(configured)
    ]  # fmt: skip
    page = build_page(folders)
    titles = re.findall(r"<figure><h3>(.*?)</h3>", page)
    labels = re.findall(r'<svg [^>]*aria-label="(.*?)"[^>]*class="chart"', page)
    captions = re.findall(r"<caption>(.*?)[<]", page)
    assert len(titles) == len(set(titles)) > 4
    assert [t for t in titles if t.endswith(names)] == titles
    assert not [c for c in captions if c.startswith("By difficulty") and not c.strip().endswith(names)]
    # A Pareto front holds the runs over its own benchmark, and no others.
    fronts = [part for part in page.split("<figure>") if part.startswith("<h3>Correct against tokens")]
    tables = [front[front.index("<tbody>") : front.index("</tbody>")] for front in fronts]
    assert [re.findall(r'class="badge of-run-(.)">', table) for table in tables] == [["0", "2"], ["1", "3"]]
    assert labels == titles


def test_a_run_of_partly_unknown_cost_has_no_place_beside_the_others(tmp_path: Path) -> None:
    folders = [make_run(tmp_path / str(seed), seed=seed) for seed in (1, 2, 3)]
    records = folders[0] / "records.jsonl"
    first, *others = records.read_text(encoding="utf-8").splitlines()
    untimed = json.dumps(json.loads(first) | {"seconds": None})
    records.write_text("\n".join([untimed, *others]) + "\n", encoding="utf-8")
    figures = build_page(folders).split("<figure>")
    named = {
        measure: re.findall(r'"badge of-run-(.)">', figure[figure.index("<tbody>") :])
        for measure in ("seconds", "tokens") for figure in figures
        if figure.startswith(f"<h3>Correct against {measure}")
    }  # fmt: skip
    assert named == {"seconds": ["1", "2"], "tokens": ["0", "1", "2"]}


def test_charts_over_one_benchmark_keep_their_short_titles(tmp_path: Path) -> None:
    page = build_page([make_run(tmp_path / "a", seed=1)])
    assert "<h3>By difficulty</h3>" in page
