"""How far the audit of gold can be trusted: NL2SQL-BUGs, pairs that people labelled right or wrong.

The weights were fitted to the labels of five of its eleven databases. Rows are at hand for `financial` alone,
which is none of them, and its table `trans` is empty here.

Figures of the other six databases are optimistic, for they weren't kept out of the work. They were measured
about six times while it went on, and a fault with empty results was mended after one of these. How often each
check fires was looked at on them, without labels. Eight of their pairs were read, and several checks were
changed after that. That the offline method's own query counts was decided when labels of `financial` were
seen.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from training.suspicion import LEARNED_FROM

from bench.figures import DATA, Figure
from fathom.authoring.audit.labelled import PairSources, Trust, measure_trust, read_labelled
from fathom.authoring.audit.offline_queries import OfflineQueries
from fathom.authoring.audit.operating_point import PRECISION
from fathom.benchmarks import load_benchmark
from fathom.evaluation.metrics import Rate

TITLE = "Audit of gold"
ACCURACY = 0.75
"""The published mean of language models is 75.16 %."""


def measure() -> Iterable[Figure]:
    folder = DATA / "bird"
    benchmark = load_benchmark(folder, "dev")
    pairs = list(read_labelled(DATA / "nl2sql_bugs" / "NL2SQL-Bugs.json"))
    with tempfile.TemporaryDirectory() as cache:
        parts = {
            "with rows, weights not fitted to it": (
                [p for p in pairs if p.database == "financial"],
                PairSources(folder, benchmark, offline=OfflineQueries(Path(cache))),
            ),
            "by schemas alone, weights not fitted to them": (
                [p for p in pairs if p.database not in LEARNED_FROM],
                PairSources(folder, benchmark, schemas_alone=True),
            ),
            "by schemas alone, weights fitted to them": (
                [p for p in pairs if p.database in LEARNED_FROM],
                PairSources(folder, benchmark, schemas_alone=True),
            ),
        }
        for what, (chosen, sources) in parts.items():
            trust = measure_trust(chosen, sources)
            rates = trust.rates
            note = f"N = {trust.wrong + trust.right}, {trust.wrong} of them wrong"
            names = sorted({p.database for p in chosen})
            note += f", over {names[0]}" if len(names) == 1 else f", over {len(names)} databases"
            if not LEARNED_FROM.intersection(names):
                note += "; optimistic: they were measured often and some were read (docs/decisions.md)"
            for name in ("accuracy", "precision (NP)", "recall (NR)"):
                yield Figure(f"audit {what}: {name}", _share(rates[name]), note=note)
            yield at_precision(what, trust, note, marked=sources.offline is not None)


def at_precision(what: str, trust: Trust, note: str, *, marked: bool) -> Figure:
    """The best accuracy where enough suspects are wrong, which has the mark where rows are at hand."""
    value, reached = f"no threshold reaches {PRECISION:.0%}", False
    if (best := trust.best) is not None:
        value = f"accuracy {_share(best.accuracy)}, recall {_share(best.recall)}"
        reached = best.accuracy.hits >= ACCURACY * best.accuracy.trials
        note = f"suspected from {best.threshold:.0%} on, chosen on the same labels; {note}"
    mark = f"accuracy >= {ACCURACY:.0%}" if marked else ""
    return Figure(
        f"audit {what}: at precision >= {PRECISION:.0%}", value, mark, reached if marked else None, note
    )


def _share(rate: Rate) -> str:
    return f"{rate.hits / rate.trials:.1%}"
