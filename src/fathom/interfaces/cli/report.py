"""`fathom report`: runs as one page, as Markdown, CSV or JSON, or as tables in the terminal."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.errors import ConfigError
from fathom.evaluation.runs.contrast import contrasts
from fathom.evaluation.runs.folder import read_configuration
from fathom.evaluation.runs.resettlement import resettled
from fathom.interfaces.cli.display import notices, plain
from fathom.interfaces.cli.sheets import print_chapters
from fathom.reports.chapters import chapters
from fathom.reports.figure_files import write_figures
from fathom.reports.report_files import write_report


def report(
    *runs: Path,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    printed: Annotated[bool, Parameter(name="--print", negative=())] = False,
    figures: Path | None = None,
    title: str = "",
    questions: int = 5_000,
    settled: Path | None = None,
    benchmark: str | None = None,
) -> None:
    """Write a report of runs: an HTML page that needs no network, or .md, .tex, .csv, .json by the ending.

    fathom report RUNS --print shows the same tables in the terminal.

    Parameters
    ----------
    runs
        Folders of runs, one or more.
    out
        The file to write; its ending says which kind. Left out, it is report.html.
    printed
        Print every table here in place of writing a file.
    figures
        A folder for the charts as SVG and PDF, a column of a paper wide; besides the file, or alone.
    title
        The page's title; what was run where it isn't given.
    questions
        List at most so many single questions on the page; figures are always over all.
    settled
        What people settled about suspect gold (review export): queries are judged anew by their gold, and
        questions at fault are left out. The runs stay as they are.
    benchmark
        With settled: the benchmark of the runs, where its name in them isn't enough to find it.
    """
    if not runs:
        raise ConfigError("Name one run or more, such as: fathom report runs/geoquery-dev-offline")
    if printed and out is not None:
        raise ConfigError("--print writes no file: leave out --out, or --print.")
    with ExitStack() as stack:
        shown: Sequence[Path] = runs
        if settled is not None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            shown = [_settled(run, settled, benchmark, folder / str(n)) for n, run in enumerate(runs)]
        elif benchmark is not None:
            raise ConfigError("--benchmark goes with --settled FILE.")
        if figures is not None:
            _write_figures(shown, figures)
        if printed:
            print_chapters(chapters(contrasts(shown)))
        if printed or (figures is not None and out is None):
            return
        file = out or Path("report.html")
        write_report(shown, file, title=title, most_questions=questions)
    notices.print(f"Wrote {file} ({file.stat().st_size / 1e6:.1f} MB).", markup=False, soft_wrap=True)


def _write_figures(runs: Sequence[Path], folder: Path) -> None:
    told = write_figures(runs, folder)
    kinds = "SVG and PDF" if told.as_pdf else 'SVG; for PDF too: pip install "askfathom[charts]"'
    notices.print(plain(f"Wrote {told.count:,} charts to {folder} as {kinds}."), soft_wrap=True)


def _settled(run: Path, file: Path, benchmark: str | None, folder: Path) -> Path:
    """The folder of a run as settled gold has it, below `folder`, under the run's own name."""
    of = read_configuration(run)["configuration"]
    loaded = load_benchmark(benchmark or of["benchmark"], of["split"] or None)
    out = folder / run.resolve().name
    told = resettled(run, loaded, file, out)
    notices.print(plain(f"{run}: {told}"), soft_wrap=True)
    return out
