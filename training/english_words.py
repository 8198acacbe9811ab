"""`python -m training.english_words FILE`: make the English words of `fathom.text` anew.

FILE is `spellchecker/resources/en.json.gz` of pyspellchecker 0.9.1: words and how often each was seen.
"""

import argparse
import gzip
import json
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "fathom" / "text" / "english_words.txt.gz"
COMMON = 10_000
"""The commonest words are what a misspelt one is taken for. Of 185 misspelt words of our own questions 110
had one such neighbour and 39 several; with 20,000 words 116 had one and 53 several."""


def written(seen: dict[str, int]) -> str:
    """The words of a dictionary: the commonest first, a blank line, and all others by the alphabet."""
    ordered = sorted(seen, key=lambda w: (-seen[w], w))[:COMMON]
    common = [w for w in ordered if w.isalpha()]
    return "\n".join([*common, "", *sorted(seen.keys() - set(common))])


def main() -> None:
    """Write the words."""
    parser = argparse.ArgumentParser(prog="python -m training.english_words", description=__doc__)
    parser.add_argument("file", type=Path, help="a gzipped JSON object of words and how often each was seen")
    words = written(json.loads(gzip.decompress(parser.parse_args().file.read_bytes())))
    OUT.write_bytes(gzip.compress(words.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
