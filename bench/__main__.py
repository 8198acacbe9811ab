"""`python -m bench NAME ...` measures, stores and prints; `--page` rewrites the page.

`all`, or no name, measures what is older than the code that it measures, so that it goes on where it was
broken off; with `--again` the rest too.

A measurement is a module of this package with `TITLE` and `measure() -> Iterable[Figure]`; one that asks
language models says which by `MODELS`, "real" or "simulated". `--only` cuts
those of methods to some methods, that of the offline method to some benchmarks; `--every` asks a share of
the questions where questions are asked of methods. Those that would take longer than half an hour ask a
sample by themselves, and all by `--whole`. `mutants`, `rules` and `unseen`, which take longest, and
`local_model`, which needs a model that was fetched, are no part of `all`, and store nothing.
`--stale` measures nothing: it tells which stored figures are older than the code that they measure. A
measurement that fails is told, keeps its old figures, and stops none after it.
"""

import argparse
import importlib
import os
import pkgutil
import sys
import time
import traceback

import bench
from bench.figures import ACCEPT, EVERY, ONLY, WHOLE, Figure, code_commit, is_part, store, write_page
from bench.parts.staleness import staleness

ON_REQUEST = frozenset(("local_model", "mutants", "rules", "unseen"))
"""Measured by name alone, printed and not stored."""


def _measurements() -> list[str]:
    found = (m.name for m in pkgutil.iter_modules(bench.__path__) if not m.ispkg)
    return sorted(n for n in found if n not in {"__main__", "figures"})


def _show(figure: Figure) -> None:
    met = {True: "met", False: "MISSED", None: ""}[figure.ok]
    print(f"  {figure.what:58s} {figure.value:>18s}  {figure.mark:>10s} {met:6s} {figure.note}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(_measurements()))
    parser.add_argument("--page", action="store_true", help="rewrite docs/figures.md from what is stored")
    parser.add_argument("--stale", action="store_true", help="tell which stored figures are older than the "
                        "code that they measure, and measure nothing; exit code 1 where one is")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="all: also those whose figures are up to date")
    parser.add_argument("--only", metavar="NAME,...", help="of what it measures these alone; stores nothing")
    parser.add_argument("--every", type=int, metavar="N", help="ask every Nth question; stores nothing")
    parser.add_argument("--whole", action="store_true", help="all questions of those that ask a sample; "
                        "stores nothing")  # fmt: skip
    parser.add_argument("--accept", action="store_true", help="same: into the golden file")
    options = parser.parse_args()
    chosen = {ONLY: options.only, EVERY: options.every, WHOLE: options.whole, ACCEPT: options.accept}
    os.environ |= {k: str(v) for k, v in chosen.items() if v}
    every = [n for n in _measurements() if n not in ON_REQUEST]
    if options.names == ["all"]:
        options.names = []
    if unknown := set(options.names) - set(_measurements()):
        parser.error(f"no measurement {', '.join(sorted(unknown))}; there is {', '.join(_measurements())}")
    if options.stale:
        found = [staleness(name) for name in options.names or every]
        for one in found:
            print(one)
        sys.exit(any(one.is_stale for one in found))
    names = options.names or ([] if options.page else every if options.again else _older(every))
    failed = [name for name in names if not _measured(name)]
    if not is_part():
        write_page()
    if failed:
        sys.exit(f"failed, with their traceback above: {', '.join(failed)}")


def _older(names: list[str]) -> list[str]:
    """Those whose figures are older than their code, or not there; tells how many are up to date."""
    older = [name for name in names if staleness(name).is_stale]
    if kept := len(names) - len(older):
        print(f"{kept} of {len(names)} measurements are up to date; --again measures them anew", flush=True)
    return older


def _measured(name: str) -> bool:
    """Measure, show and store the figures of one measurement; False if it failed."""
    commit, began = code_commit(), time.monotonic()  # as it begins: the code may be worked on meanwhile
    figures: list[Figure] = []
    try:
        module = importlib.import_module(f"bench.{name}")
        print(module.TITLE, flush=True)
        for figure in module.measure():
            figures.append(figure)
            _show(figure)
    except Exception:  # whatever it is, the next measurement has nothing to do with it
        traceback.print_exc()
        return False
    if not is_part() and name not in ON_REQUEST:
        models = getattr(module, "MODELS", "")
        store(name, module.TITLE, figures, commit, time.monotonic() - began, models=models)
    return True


if __name__ == "__main__":
    main()
