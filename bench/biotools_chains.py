"""Calls in a row: questions that take several, each followed over the loopback server to its last answer.

The questions and their gold calls are ours. One half was looked at while the planner was mended; of the other
half only totals. `correct` is that the last observation is the gold one's, whichever way led there.
"""

from collections.abc import Iterable

from bench.biotools_caller import calibration_figure, calls_of, served
from bench.figures import Figure
from bench.questions.calls import chains, write_rows
from fathom.evaluation.calls import evaluate_calls
from fathom.evaluation.runs.options import RunOptions

TITLE = "Questions that take several calls of biomedical APIs in a row, without a model"


def measure() -> Iterable[Figure]:
    with served() as (tools, folder):
        for part, label in (("tuned", "looked at"), ("held_out", "held out")):
            name = write_rows(chains(part, tools.client), folder / f"{part}.json")
            run = evaluate_calls(name, "offline", RunOptions(out=folder / part), tools=tools)
            n, calls = run.summary().all["n"], calls_of(run)
            made = [call for _, call in calls if call.call is not None]
            counted = {
                "right last observation": run.summary().all["correct"],
                "right endpoints in order": sum(call.right_endpoint for call in made),
                "right endpoints and all arguments": sum(call.right_arguments for call in made),
            }
            for what, hits in counted.items():
                yield Figure(f"{label}: {what}", f"{hits}/{n} = {hits / n:.1%}")
            good = sum(record.right for record, call in calls if call.call is not None)
            yield Figure(
                f"{label}: of questions answered, right last observation",
                f"{good}/{len(made)} = {good / max(len(made), 1):.1%}",
                note=f"{n - len(made)} declined",
            )
            yield calibration_figure(label, run, "all calls and arguments")
