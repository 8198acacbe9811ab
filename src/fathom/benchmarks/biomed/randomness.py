"""Random numbers by their place: the draw for row 7 is the same whoever asks for it, in whatever order.

That is what lets a table be made in chunks of any size, and one table look up a row of another without
making it: a hash of (seed, stream, row) in place of a generator with a state.
"""

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class RandomStream:
    """One named stream of random numbers; the same for the same seed and name."""

    def __init__(self, seed: int, name: str) -> None:
        self._seed, self._name = seed, name
        digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=8).digest()
        self._key = np.uint64(int.from_bytes(digest, "little"))

    def __getitem__(self, name: str) -> "RandomStream":
        """An independent stream below this one."""
        return RandomStream(self._seed, f"{self._name}/{name}")

    def bits(self, rows: Ints) -> NDArray[np.uint64]:
        """64 random bits a row (the finaliser of SplitMix64, Steele et al. 2014)."""
        x = np.atleast_1d(rows).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + self._key
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))

    def uniform(self, rows: Ints) -> Floats:
        """A number between 0 and 1, neither included."""
        return ((self.bits(rows) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53

    def normal(self, rows: Ints) -> Floats:
        """A standard normal deviate (Box and Muller 1958)."""
        radius: Floats = np.sqrt(-2 * np.log(self.uniform(rows)))
        return radius * np.cos(2 * np.pi * self["angle"].uniform(rows))

    def below(self, rows: Ints, limit: int | Ints) -> Ints:
        """A whole number from 0 to below the limit."""
        return (self.uniform(rows) * limit).astype(np.int64)


def shuffled(rows: Ints, size: int, seed: int) -> Ints:
    """Where each row goes when `size` rows are put into another order; every place is taken once."""
    step = next(s for s in range(int(size * 0.618) | 1, 2 * size + 3, 2) if np.gcd(s, size) == 1)
    return (rows * step + seed) % size


def significant(values: Floats, digits: int) -> Floats:
    """Values rounded to so many significant digits."""
    size = np.floor(np.log10(np.where(values == 0, 1.0, np.abs(values))))
    factor = 10.0 ** np.clip(digits - 1 - size, -300, 300)
    rounded: Floats = np.round(values * factor) / factor
    # Dividing by a power of ten that no float holds exactly leaves 1.2299999e-30 for 1.23e-30.
    small = (values != 0) & (np.abs(values) < 1e-15)
    rounded[small] = [float(f"{v:.{digits}g}") for v in values[small].tolist()]
    return rounded


def each(function: Callable[[float], float], values: Floats) -> Floats:
    """A function of the standard library that NumPy lacks, for every value."""
    return np.fromiter(map(function, values.tolist()), dtype=np.float64, count=len(values))
