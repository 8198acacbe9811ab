"""A small real benchmark: one SQLite database, questions with gold in Fathom's own format."""

import json
import sqlite3
from pathlib import Path

QUESTIONS = 12


def make_benchmark(folder: Path, questions: int = QUESTIONS) -> Path:
    """Genes by number; question i asks for the name of gene i. One more can't be answered."""
    folder.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(folder / "genes.sqlite") as connection:
        connection.execute("CREATE TABLE gene (id INTEGER PRIMARY KEY, name TEXT, chr TEXT)")
        connection.executemany(
            "INSERT INTO gene VALUES (?, ?, ?)", [(i, f"G{i}", str(i % 3)) for i in range(questions)]
        )
    connection.close()
    lines: list[dict[str, object]] = [
        {
            "id": f"q{i}",
            "question": f"What is gene {i} called?",
            "database": "genes.sqlite",
            "gold": [f"SELECT name FROM gene WHERE id = {i}"],
            "difficulty": "simple" if i % 2 else "moderate",
            "tags": ["Select"],
        }
        for i in range(questions)
    ]
    lines.append(
        {
            "id": "idk",
            "question": "What will gene 1 be called next year?",
            "database": "genes.sqlite",
            "gold": [],
            "answerable": False,
        }
    )
    path = folder / "genes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
