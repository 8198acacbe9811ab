"""The tables of a report as LaTeX, each in a `table` of its own for a paper to take; with booktabs alone.

Text of questions, runs and categories stays text: no letter of it can become a command.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from fathom.evaluation.runs.contrast import contrasts
from fathom.reports.chapters import chapters
from fathom.reports.sheet import Cell, Sheet

_PLAIN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "–": "--", "±": r"$\pm$", "·": r"$\cdot$", "…": r"\ldots{}",
    "“": "``", "”": "''", "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip
_MARKS = {0: "{}", 1: r"\textbf{{{}}}", 2: r"\underline{{{}}}"}
_HEAD = r"""% Made by fathom report. In the preamble: \usepackage{booktabs}
% \input this file, or take the tables that the paper needs; wide ones fit with \resizebox.
"""


def build_latex(folders: Sequence[Path]) -> str:
    """Every table of the page as LaTeX, after what the comparison comes to."""
    made = chapters(contrasts(folders))
    said = [_escaped(chapter.note) for chapter in made if chapter.id == "verdict"]
    seen: set[str] = set()
    tables = [_table(sheet, _label(sheet.title, seen)) for chapter in made for sheet in chapter.tables]
    return "\n".join([_HEAD, *said, *tables]) + "\n"


def _table(sheet: Sheet, label: str) -> str:
    columns = sheet.told
    aligned = "".join("l" if place < sheet.lead else "r" for place in range(len(columns)))
    head, *rows = ([_cell(row[i]) for i in columns] for row in (sheet.head, *sheet.rows))
    caption = " ".join(p for p in (f"{sheet.title}.", sheet.note) if p)
    about = [r"\centering\small", rf"\caption{{{_escaped(caption)}}}", rf"\label{{{label}}}"]
    body = [r"\toprule", _line(head), r"\midrule", *map(_line, rows), r"\bottomrule"]
    inside = [rf"\begin{{tabular}}{{@{{}}{aligned}@{{}}}}", *body, r"\end{tabular}"]
    return "\n".join([r"\begin{table}[t]", *about, *inside, r"\end{table}", ""])


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    # The interval alone: counts stand in a column of their own, and a page has few centimetres.
    more = rf" {{\footnotesize ({_escaped(cell.more.partition('; ')[0])})}}" if cell.more else ""
    flag = rf" [{_escaped(cell.flag)}]" if cell.flag else ""
    # Braces keep a bracket at the beginning of a row from being taken for an option of the row before.
    return f"{{{_MARKS[cell.rank].format(_escaped(cell.named))}}}{more}{flag}"


def _label(title: str, seen: set[str]) -> str:
    """The label of a table, its own also where two have one title."""
    plain = "tab:" + (re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-") or "table")
    label, number = plain, 2
    while label in seen:
        label, number = f"{plain}-{number}", number + 1
    seen.add(label)
    return label


def _escaped(text: str) -> str:
    """Text that stays text in LaTeX, on one line."""
    return "".join(_PLAIN.get(letter, letter) for letter in " ".join(text.split()))
