"""Work that fails as work can; apart from the tests, so that a process that does it starts fast."""

import os
import signal


def double_or_die(work: int) -> int:
    if work == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return work * 2


def divide_by_zero(work: int) -> float:
    return work / 0
