import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interfaces.mcp_client import make_shop

from fathom.answering.store import Store
from fathom.config import Settings
from fathom.interfaces.web.site import Rules, Site


@pytest.fixture
def genes(tmp_path: Path) -> Path:
    path = tmp_path / "genes.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE gene (symbol TEXT, chromosome INTEGER)")
    made.executemany("INSERT INTO gene VALUES (?, ?)", [("APOE", 19), ("BIN1", 2), ("SNCA", 4)])
    made.commit()
    made.close()
    return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    settings = Settings(tmp_path / "config.toml", tmp_path / "cache", store=tmp_path / "store.sqlite")
    databases = {"shop": str(make_shop(tmp_path / "shop.db"))}
    rules = Rules(token="t", hosts=frozenset(), origins=frozenset())
    made = Site(settings, rules, Store(settings.store), databases)
    yield made
    made.close()
