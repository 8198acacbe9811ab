"""The stems of English words, in any number of threads at once."""

import threading

from Stemmer import Stemmer


class _OfThread(threading.local):
    """One stemmer a thread: a stemmer keeps the word it is at, and two threads would mix theirs."""

    def __init__(self) -> None:
        self.stemmer = Stemmer("english")


_OF_THREAD = _OfThread()


def stem_of(word: str) -> str:
    """The stem of a word folded in case, by Porter's second algorithm for English (Snowball)."""
    return str(_OF_THREAD.stemmer.stemWord(word))
