"""The text of a file: its encoding, and a sample of its lines from all over it."""

import codecs
from pathlib import Path

_HEAD = 1 << 20
_PIECE, _PIECES = 1 << 17, 24
_WHOLE = 4 << 20
"""Bytes up to which a file is its own sample."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FALLBACK = "cp1252"
"""The encoding of most texts that aren't UTF-8 and don't say what they are."""


def encoding_of(path: Path) -> str:
    """The encoding of a text by its mark, else UTF-8, or `FALLBACK` where its beginning isn't that."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if b"\0" in head[:200]:  # every second byte of Latin letters
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return FALLBACK
    return "utf-8"


def in_utf8(path: Path, encoding: str, scratch: Path) -> Path:
    """A copy of a text in UTF-8; signs that the encoding doesn't have become question marks in a diamond."""
    target = scratch / f"{path.stem}.utf8"
    with (
        path.open(encoding=encoding, errors="replace", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as made,
    ):
        while piece := source.read(_HEAD):
            made.write(piece)
    return target


def sample_of(path: Path, scratch: Path) -> Path:
    """The beginning of a text and lines from all over it; a small one itself."""
    size = path.stat().st_size
    if size <= _WHOLE:
        return path
    target = scratch / f"{path.stem}.sample"
    with path.open("rb") as source, target.open("wb") as made:
        made.write(_whole_lines(source.read(_PIECE), skip=False))
        for number in range(1, _PIECES + 1):
            source.seek((size - _PIECE) * number // _PIECES)
            made.write(_whole_lines(source.read(_PIECE), skip=True))
    return target


def _whole_lines(piece: bytes, *, skip: bool) -> bytes:
    start = piece.find(b"\n") + 1 if skip else 0
    return piece[start : piece.rfind(b"\n") + 1]
