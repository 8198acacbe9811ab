"""The genome that variants lie on: chromosomes, genes, and which gene is nearest to a position."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fathom.benchmarks.biomed import facts
from fathom.benchmarks.biomed.randomness import Ints, RandomStream

# GRCh38 lengths of the autosomes in base pairs, to 10 kb.
_LENGTHS = np.array(
    [248_960, 242_190, 198_300, 190_210, 181_540, 170_810, 159_350, 145_140, 138_390, 133_800, 135_090,
     133_280, 114_360, 107_040, 101_990, 90_340, 83_260, 80_370, 58_620, 64_440, 46_710, 50_820],
    dtype=np.int64,
) * 1000  # fmt: skip
_UNCHARACTERISED = 12_000


class Genome:
    """Genes laid out on one line: a place is the distance in base pairs from the start of chromosome 1.

    Between the genes that people know lie uncharacterised loci, made up, named LOC9 and eight digits.
    """

    size = int(_LENGTHS.sum())

    def __init__(self, seed: int) -> None:
        self._ends = np.cumsum(_LENGTHS)
        self._starts = self._ends - _LENGTHS
        # One offset a chromosome stands for the lift-over between the two assemblies.
        self._to_37 = RandomStream(seed, "liftover").below(np.arange(len(_LENGTHS)), 2_000_000) - 800_000
        known = [g for g in facts.genes().values() if g.chromosome != "X"]
        begin = np.array([self.place(int(g.chromosome), g.start) for g in known])
        length = np.array([g.end - g.start for g in known])
        made, made_length = self._uncharacterised(RandomStream(seed, "genes"), begin, length)
        names = [g.symbol for g in known] + [f"LOC9{i:08d}" for i in range(len(made))]
        order = np.argsort(np.concatenate([begin, made]), kind="stable")
        self.begin: Ints = np.concatenate([begin, made])[order]
        self.end: Ints = self.begin + np.concatenate([length, made_length])[order]
        self.symbols = [names[i] for i in order]

    def _uncharacterised(self, stream: RandomStream, begin: Ints, length: Ints) -> tuple[Ints, Ints]:
        rows = np.arange(_UNCHARACTERISED)
        made = ((rows + stream.uniform(rows)) / _UNCHARACTERISED * self.size).astype(np.int64)
        made_length = 2_000 + stream["length"].below(rows, 60_000)
        order = np.argsort(begin)
        ends = np.maximum.accumulate((begin + length)[order])
        before = np.searchsorted(begin[order], made + made_length) - 1
        free = (before < 0) | (made > ends[np.maximum(before, 0)] + 20_000)
        return made[free], made_length[free]

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each symbol among the genes."""
        return {s: i for i, s in enumerate(self.symbols)}

    def place(self, chromosome: int, position: int) -> int:
        """The place of a position on a chromosome."""
        return int(self._starts[chromosome - 1]) + position

    def chromosome(self, places: Ints) -> tuple[Ints, Ints]:
        """The chromosome (from 1) and the position on it, in GRCh38."""
        found = np.minimum(np.searchsorted(self._ends, places, side="left"), len(_LENGTHS) - 1)
        return found + 1, np.maximum(places - self._starts[found], 1)

    def in_37(self, chromosomes: Ints, positions: Ints) -> Ints:
        """Positions in GRCh37 of positions in GRCh38."""
        found: Ints = np.maximum(positions + self._to_37[chromosomes - 1], 1)
        return found

    @cached_property
    def _labels(self) -> NDArray[np.object_]:
        """The labels that `nearest` gives: at 2k inside gene k, at 2k + 1 between k and the next."""
        where = np.searchsorted(self._ends, self.begin)
        labels: list[str] = []
        for k, symbol in enumerate(self.symbols):
            following = k + 1 < len(self.symbols) and where[k + 1] == where[k]
            labels += [symbol, f"{symbol};{self.symbols[k + 1]}" if following else symbol]
        return np.array(labels, dtype=object)

    def nearest(self, places: Ints) -> NDArray[np.object_]:
        """The gene that a place is in, or the two that it lies between, joined by ";"."""
        k = np.maximum(np.searchsorted(self.begin, places, side="right") - 1, 0)
        found: NDArray[np.object_] = self._labels[2 * k + (places > self.end[k])]
        return found
