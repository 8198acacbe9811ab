"""Files that lines are added to: what a kill and a full disk leave."""

import os
from pathlib import Path

import pytest

from fathom.files import LineFile, whole_lines, write_whole, written_whole
from tests.disks import FULL, fill, small_disk


def test_lines_go_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"one\ntwo\nto")
    seen: list[tuple[int, bytes]] = []
    lines = LineFile(file, lambda number, line: seen.append((number, line)))
    lines.append(b"three\n")
    lines.close()
    assert seen == [(1, b"one\n"), (2, b"two\n")]
    assert file.read_bytes() == b"one\ntwo\nthree\n"


def test_a_line_that_the_disk_does_not_take_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, file = os.write, tmp_path / "lines"
    lines = LineFile(file)
    lines.append(b"one\n", sync=True)
    with monkeypatch.context() as patched:
        patched.setattr("fathom.files.os.write", lambda handle, line: real(handle, line[:2]))
        with pytest.raises(OSError, match="only a part"):
            lines.append(b"two\n")
    assert file.read_bytes() == b"one\n"
    lines.append(b"three\n")
    lines.close()
    assert [line for _, line in whole_lines(file)] == [b"one\n", b"three\n"]


def test_a_line_that_is_refused_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    def refuse(number: int, _: bytes) -> None:
        raise ValueError(f"line {number}")

    file = tmp_path / "lines"
    file.write_bytes(b"one\nto")
    with pytest.raises(ValueError, match="line 1"):
        LineFile(file, refuse)
    assert file.read_bytes() == b"one\nto"


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        lines = LineFile(disk / "lines")
        fill(disk)
        told = f"{FULL}: .*{disk.name}/"
        with pytest.raises(OSError, match=f"{told}lines"):
            lines.append(b"one\n")
        with pytest.raises(OSError, match=f"{told}whole"):
            write_whole(disk / "whole", b"x" * 9_000)
        with pytest.raises(OSError, match=f"{told}text"), written_whole(disk / "text") as stream:
            stream.write("x" * 90_000)
        lines.close()
        assert sorted(f.name for f in disk.iterdir()) == ["filler", "lines"]
