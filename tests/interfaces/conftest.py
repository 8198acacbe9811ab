import sqlite3
from pathlib import Path

import pytest


@pytest.fixture
def genes(tmp_path: Path) -> Path:
    path = tmp_path / "genes.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE gene (symbol TEXT, chromosome INTEGER)")
    made.executemany("INSERT INTO gene VALUES (?, ?)", [("APOE", 19), ("BIN1", 2), ("SNCA", 4)])
    made.commit()
    made.close()
    return path
