"""Adam (Kingma and Ba, 2014): steps down a gradient, each weight at its own pace."""

import numpy as np

from fathom.offline.sketches.network import Floats


class Adam:
    """The optimiser of one array of weights; `rate` may be changed between steps."""

    def __init__(self, shape: tuple[int, ...], rate: float) -> None:
        self.mean = np.zeros(shape, np.float32)
        self.square = np.zeros(shape, np.float32)
        self.rate, self.steps = rate, 0

    def step(self, values: Floats, gradient: Floats) -> None:
        """Change the values, in place, against their gradient."""
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient * gradient - self.square)
        mean = self.mean / (1 - 0.9**self.steps)
        square = self.square / (1 - 0.999**self.steps)
        values -= self.rate * mean / (np.sqrt(square) + 1e-8)
