"""Saved questions that ask for values, and the answers for values that were given."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from fathom.answering.parameters import SavedParameter
from fathom.answering.store.file import StoreFile


class FilledQuestions:
    """The part of the store about parameters of saved questions. Safe to use from threads."""

    def __init__(self, file: StoreFile) -> None:
        self._file = file

    def define(self, slug: str, sql: str, parameters: Sequence[SavedParameter]) -> None:
        """Let a saved question ask for values of its query from here on; for none where there are none.

        Answers for values of an earlier definition are found no more by them.
        """
        content = json.dumps([asdict(p) for p in parameters], ensure_ascii=False)
        with self._file.writing():
            self._file.rows("DELETE FROM filled WHERE saved = ?", slug)
            self._file.rows(
                "UPDATE saved SET sql = ?, parameters = ? WHERE slug = ?",
                sql if parameters else "",
                content,
                slug,
            )

    def keep(self, slug: str, given: Mapping[str, str], answer: str) -> None:
        """Keep which answer is the latest one for these values."""
        with self._file.writing():
            self._file.rows("INSERT OR REPLACE INTO filled VALUES (?, ?, ?)", slug, _form(given), answer)

    def answer(self, slug: str, given: Mapping[str, str]) -> str:
        """The id of the latest answer for these values; "" where they weren't asked for."""
        found = self._file.rows("SELECT answer FROM filled WHERE saved = ? AND given = ?", slug, _form(given))
        return str(found[0]["answer"]) if found else ""


def _form(given: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(given.items())), ensure_ascii=False)
