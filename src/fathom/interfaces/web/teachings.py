"""The form in which a person teaches something, and the lesson that it makes."""

from typing import Literal

from pydantic import BaseModel, Field

from fathom.errors import InputError
from fathom.interfaces.web.site import QUESTION_LETTERS, SQL_LETTERS
from fathom.knowledge.lessons import Lesson, convention, solved, synonym, value_name
from fathom.records import Answer

Kind = Literal["example", "synonym", "value", "convention"]
WORD_LETTERS, NAME_LETTERS = 200, 300


class Teaching(BaseModel):
    """One thing to teach about a database.

    example: `question` is answered by `sql`. synonym: `word` is the table or the table.column in `means`.
    value: `word` is the stored `value` of the column in `means`. convention: `rule` in words adds `condition`
    where one of `tables` is asked, with `words` only in questions that hold one of these (both with commas).
    `question` of another kind is one to try it on; `answer` is the id of the answer that it comes from.
    """

    kind: Kind = "example"
    question: str = Field(default="", max_length=QUESTION_LETTERS)
    sql: str = Field(default="", max_length=SQL_LETTERS)
    word: str = Field(default="", max_length=WORD_LETTERS)
    means: str = Field(default="", max_length=NAME_LETTERS)
    value: str = Field(default="", max_length=NAME_LETTERS)
    rule: str = Field(default="", max_length=QUESTION_LETTERS)
    condition: str = Field(default="", max_length=QUESTION_LETTERS)
    tables: str = Field(default="", max_length=QUESTION_LETTERS)
    words: str = Field(default="", max_length=QUESTION_LETTERS)
    answer: str = Field(default="", max_length=40)
    by: str = Field(default="", max_length=60)

    def lesson(self) -> Lesson:
        """The lesson. Raises `InputError` where a part is missing, or a condition is none."""
        match self.kind:
            case "example":
                _need(question=self.question, query=self.sql)
                made = solved(self.question, self.sql)
            case "synonym":
                _need(word=self.word, **{"table or column": self.means})
                made = synonym(self.word, *self._place())
            case "value":
                _need(word=self.word, column=self.means, value=self.value)
                table, column = self._place()
                if not column:
                    raise InputError("a value belongs to a column: name it as table.column")
                made = value_name(self.word, table, column, self.value.strip())
            case "convention":
                _need(rule=self.rule, condition=self.condition, table=self.tables)
                made = convention(
                    self.rule.strip(),
                    tables=_listed(self.tables),
                    condition=self.condition.strip(),
                    words=_listed(self.words),
                )
        return made.model_copy(update={"by": self.by.strip(), "answer": self.answer})

    def is_by_hand(self, given: Answer | None) -> bool:
        """True if it holds SQL that neither the answer which it comes from nor a reading of that holds."""
        if self.kind == "convention":
            return True
        known = {given.sql, *(r.sql for r in given.readings)} if given else set()
        return self.kind == "example" and self.sql.strip() not in known

    def _place(self) -> tuple[str, str]:
        table, dot, column = self.means.strip().rpartition(".")
        return (table, column) if dot else (column, "")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _need(**parts: str) -> None:
    if missing := [name for name, part in parts.items() if not part.strip()]:
        raise InputError(f"the {missing[0]} is missing")
