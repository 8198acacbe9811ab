"""What goes into papers: tables as LaTeX, charts as files, and all that it takes to repeat a run."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fathom.evaluation.runs import configuration
from fathom.reports.figure_files import write_figures
from fathom.reports.report_files import write_report
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark
from tests.reports.stored import every_chapter, make_run
from tests.reports.test_values import tables

HOSTILE = r"\input{/etc/passwd} 5% of $x_1$ & {a}^2 #~"


def rows(text: str) -> dict[str, list[list[str]]]:
    """The tables of a file of LaTeX by caption, each row as its cells in plain words."""
    found = {}
    for table in re.findall(r"\\begin\{table\}.*?\\end\{table\}", text, re.DOTALL):
        caption = re.search(r"\\caption\{(.*)\}\n\\label", table)
        body = table.split(r"\toprule")[1].split(r"\bottomrule")[0].replace(r"\midrule", "")
        assert caption is not None
        lines = [line for line in body.splitlines() if line.strip()]
        found[caption[1]] = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]
    return found


def plain(cell: str) -> str:
    """A cell without its marks and its interval."""
    shown = re.sub(r"\{\\footnotesize.*\}|\\(textbf|underline)", "", cell).replace(r"$\pm$", "±")
    shown = shown.replace(r"\%", "%").replace("--", "–")
    return re.sub(r" \[.*\]$", "", re.sub("[{}]", "", shown)).strip()


def test_latex_has_the_figures_of_the_other_forms(tmp_path: Path) -> None:
    runs = every_chapter(tmp_path)
    write_report(runs, tmp_path / "r.tex")
    text = (tmp_path / "r.tex").read_text(encoding="utf-8")
    found, others = rows(text), tables(runs)
    assert len(found) == len(others)
    for (caption, lines), (title, expected) in zip(found.items(), others.items(), strict=True):
        assert caption.replace("\\", "").startswith(title.replace("–", "--").replace("“", "``")[:20]), title
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(lines) == len(expected) + 1
        for line, row in zip(lines[1:], expected, strict=True):
            told = [value.strip("*_").split(" (")[0].split(" [")[0] for value in row.values()]
            if not any(set(r"\$_#·~|<>&") & set(value) for value in told):
                assert [plain(cell) for cell in line] == told, title
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(labels) == len(set(labels)) == len(found) == text.count(r"\caption{")


def test_no_text_of_a_run_becomes_a_command(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", seed=1, text=HOSTILE)
    write_report([run], tmp_path / "r.tex")
    text = (tmp_path / "r.tex").read_text(encoding="utf-8")
    commands = set(re.findall(r"\\([A-Za-z]+)", re.sub(r"^%.*$", "", text, flags=re.MULTILINE)))
    assert commands <= {
        "begin", "end", "centering", "small", "caption", "label", "toprule", "midrule", "bottomrule",
        "footnotesize", "textbf", "underline", "textbackslash", "textasciitilde", "textasciicircum",
        "textless", "textgreater", "textbar", "pm", "cdot", "ldots",
    }  # fmt: skip
    assert r"\textbackslash{}input\{/etc/passwd\} 5\% of \$x\_1\$ \& \{a\}\textasciicircum{}2 \#" in text
    bare = re.sub(r"\\[\\{}%$&#_]|\$\\(pm|cdot)\$|^%.*$", "", text, flags=re.MULTILINE)
    assert bare.count("{") == bare.count("}")
    assert not set("$%#_^~") & set(bare.replace("@", "")) - {"~"}


def test_charts_are_files_of_a_columns_width(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / f"r{seed}", seed=seed) for seed in (1, 2)]
    told = write_figures(runs, tmp_path / "figures")
    pictures = sorted((tmp_path / "figures").glob("*.svg"))
    assert told.count == len(pictures) >= 8
    assert told.as_pdf
    for file in pictures:
        text = file.read_text(encoding="utf-8")
        tree = ET.fromstring(text)
        assert tree.get("width") == "3.3in"
        assert not re.search(r"var\(|color-mix|url\(|href|<script", text)
        classes = {c for e in tree.iter() for c in (e.get("class") or "").split()}
        styled = set(re.findall(r"\.([\w-]+)", text.split("<style")[1].split("</style>")[0]))
        assert classes - styled <= {"label"} | {c for c in classes if c.startswith("of-run-")}, file.name
        if any(c.startswith("of-run-") for c in classes):
            assert {"m1", "m2"} & {e.text for e in tree.iter()}, file.name
        document = file.with_suffix(".pdf").read_bytes()
        assert document.startswith(b"%PDF-")
        (width,) = re.findall(rb"MediaBox\s*\[0 0 ([\d.]+)", document)
        assert float(width) == pytest.approx(3.3 * 72, abs=1.5) or float(width) == pytest.approx(
            3.3 * 96, abs=2
        )


def test_the_command_writes_charts_beside_a_report_or_alone(
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", seed=1)
    done = fathom("report", run, "--figures", tmp_path / "figures")
    assert (done.code, "as SVG and PDF" in done.err) == (0, True)
    assert not (tmp_path / "report.html").exists()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = fathom("report", run, "--figures", tmp_path / "plain", "-o", tmp_path / "r.tex")
    assert "for PDF too" in done.err
    assert (tmp_path / "r.tex").exists()
    assert {f.suffix for f in (tmp_path / "plain").iterdir()} == {".svg"}


def test_a_report_tells_how_to_repeat_a_run(
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, run = make_benchmark(tmp_path), tmp_path / "run"
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "q0", "sql": "SELECT 1"}\n', encoding="utf-8")
    asked = ["evaluate", str(file), "--predictions", str(answers), "--ids", "q0"]
    words = [*asked, "--seed", "7", "-o", str(run)]
    monkeypatch.setattr(sys, "argv", ["/usr/bin/fathom", *words, "--note", "mysql://me:secret@host/x"])
    fathom(*words)
    (start,) = json.loads((run / "run.json").read_text(encoding="utf-8"))["starts"]
    assert start["command"] == f"fathom {' '.join(words)} --note mysql://me:***@host/x"
    assert start["seconds"] > 0
    assert 20 < start["peak_megabytes"]["own"] < 20_000
    assert start["machine"]["cores"] >= 1
    (row,) = tables([run])["With which seed, when, and where"]
    assert (row["command"], row["seed"]) == (start["command"], "7")
    assert row["peak memory"].startswith(f"{start['peak_megabytes']['own']:,.0f} MB")
    assert f"{start['machine']['cores']} cores" in row["machine"]
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert configuration.environment()["command"] is None


def test_peak_memory_is_that_of_the_run_alone(tmp_path: Path) -> None:
    """What was taken and given back before a run isn't counted, where the system can tell."""
    from fathom.evaluation.runs.peak_memory import forget_peak, peak_megabytes

    forget_peak()
    base = peak_megabytes()
    taken = bytearray(200_000_000)
    after = peak_megabytes()
    assert base is not None
    assert after is not None
    assert after["own"] - base["own"] > 150
    del taken
    forget_peak()
    again = peak_megabytes()
    assert again is not None
    if Path("/proc/self/clear_refs").exists():
        assert again["own"] < after["own"] - 100
