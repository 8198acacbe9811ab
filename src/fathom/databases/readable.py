"""Text in an unknown encoding."""

from contextlib import suppress


def readable(text: bytes) -> str:
    """Text in whatever encoding: UTF-8, else Windows-1252, else a character a byte; nothing is lost."""
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return text.decode(encoding)
    return text.decode("latin-1")
