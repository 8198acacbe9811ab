"""`fathom tools export-training`: training files for a model that finds calls."""

from pathlib import Path

from fathom.benchmarks.calls import PREFIX, SEED, load_calls, solved
from fathom.biotools.callers.training_files import first_part, write_training
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain


def export_training(words: tuple[str, ...], out: Path | None, split: str, fraction: float) -> None:
    """Split a file of questions with their calls and write both parts, or a fraction of that for training,
    in each layout."""
    if not 0 < fraction <= 1:
        raise InputError(f"--fraction is above 0 and at most 1, not {fraction:g}.")
    if len(words) != 1 or out is None:
        raise InputError("Write: fathom tools export-training PAIRS.json --out FOLDER")
    benchmark = load_calls(words[0], split)
    parts = {"train": benchmark.read_training or benchmark.read}
    if benchmark.read_training is not None:
        parts["test"] = benchmark.read
    # A tuned model makes one call, so that what an earlier one fed can't be learned from.
    pairs = {name: [one for one in solved(read()) if one.step == 1] for name, read in parts.items()}
    pairs["train"] = first_part(pairs["train"], fraction)
    about = {"source": Path(words[0].removeprefix(PREFIX)).name, "split": split, "seed": SEED,
             "fraction": fraction}  # fmt: skip
    written = write_training(pairs, out, about={**about, "digest": benchmark.digest})
    counts = ", ".join(f"{count:,} for {name}" for name, count in written.counts.items())
    console.print(plain(f"{counts}, in {out}, as chat, ShareGPT and Alpaca."), soft_wrap=True)
    if written.left_out:
        notices.print(plain(f"{len(written.left_out)} were left out; about.json says why."))
