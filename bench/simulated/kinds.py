"""What a prompt asks for: one row for each prompt of the package, known by words that only it holds."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Form = Literal["continue", "fence", "json", "mark", "tag"]
Task = Literal[
    "query", "revise", "act", "tables", "columns", "links", "keep or drop", "column", "tests", "verdicts",
    "enough", "keywords", "object", "words", "class", "read", "cells",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """A task and the form of its reply; `key` is that of a JSON object where there is one.

    `reasons`: the prompt asks for reasons ahead of the query, and a reply gives them.
    """

    task: Task
    form: Form = "fence"
    key: str = "sql"
    reasons: bool = False


OTHERWISE = Kind("query")
KINDS: dict[str, tuple[str, Kind]] = {
    "adaptive_columns": ("leave out only what it surely doesn't need", Kind("columns", "json", "")),
    "adaptive_mend": ("query doesn't yet answer its question", Kind("revise")),
    "adaptive_plan": (
        "Say in a numbered plan how the database would be worked through",
        Kind("query", reasons=True),
    ),
    "adaptive_reason": (
        "Where NULL, ties, whole-number division or rows without a partner",
        Kind("query", reasons=True),
    ),
    "adaptive_write": ("query that answers the question, as simple as it can be", Kind("query")),
    "answer_from_rows": ("Answer the question in a few plain sentences", Kind("words")),
    "bi_merge": ("Merge them into one answer in a few clear paragraphs", Kind("words")),
    "bi_questions": ("further questions whose answers would round off", Kind("object", "json", "")),
    "biomed_query": ("keeping to these house rules:", Kind("query")),
    "bird_direct": ("Give nothing but the query, as the continuation of:", Kind("query", "continue")),
    "bird_reasoning": ("Think step by step in a few sentences, then give", Kind("query", reasons=True)),
    "bmsql_answer": ("Answer in a few plain sentences from these rows alone", Kind("words")),
    "bmsql_columns": ("each table's name with the list of its columns.", Kind("columns", "json", "")),
    "bmsql_enough": ("Do queries, rows and answer settle the question?", Kind("enough")),
    "bmsql_general": ("query first: one that brings the data which the question", Kind("query")),
    "bmsql_mend": ("query with the same aim, only the query, in a fence", Kind("revise")),
    "bmsql_refine": ("query that answers the question itself. Apply a threshold", Kind("revise")),
    "c3_columns": ("For every table rank its columns by how much", Kind("columns", "json", "")),
    "c3_sql": ("query, with nothing but SQL and no explanation.", Kind("query", "continue")),
    "c3_tables": ("Rank all tables by how much the question needs them", Kind("tables", "json", "")),
    "chess_divide": ("Show the division, then give the one", Kind("query", "tag", "answer", reasons=True)),
    "chess_filter_column": ("Judge one column of a database by itself", Kind("column", "json", "relevant")),
    "chess_plan": (
        "Describe the plan step by step, then give the one",
        Kind("query", "tag", "answer", reasons=True),
    ),
    "chess_repair": (
        "Find out why and mend it. Examples of what",
        Kind("revise", "tag", "answer", reasons=True),
    ),
    "chess_revise": (
        "Mend what is wrong and change nothing",
        Kind("revise", "json", "revised_sql", reasons=True),
    ),
    "chess_select_columns": (
        "and columns, the latter an object",
        Kind("columns", "json", "columns", reasons=True),
    ),
    "chess_select_tables": ("reasoning and table_names", Kind("tables", "json", "table_names", reasons=True)),
    "chess_write": (
        "reasoning (how the query comes about, step by step)",
        Kind("query", "json", reasons=True),
    ),
    "dail_pairs": ("query, using the evidence where some is given:", Kind("query", "continue")),
    "din_classify": ("Say how hard a query is: EASY", Kind("class")),
    "din_correct": ("Go over a query by this list", Kind("revise", "mark", "SQL:", reasons=True)),
    "din_easy": ("Write a query over one table.", Kind("query", "mark", "SQL:")),
    "din_joined": ("Think as above, then end with", Kind("query", "mark", "SQL:", reasons=True)),
    "din_joined_natsql": (
        "Think as above, then give the intermediate",
        Kind("query", "mark", "SQL:", reasons=True),
    ),
    "din_link": ("List what a question needs of a database", Kind("links", "mark", "Links:")),
    "din_nested": (
        "Solve these one after the other as above, end",
        Kind("query", "mark", "SQL:", reasons=True),
    ),
    "din_nested_natsql": (
        "Solve these one after the other as above, give",
        Kind("query", "mark", "SQL:", reasons=True),
    ),
    "e_sql_enrich": ("and enriched_question.", Kind("words", "json", "enriched_question", reasons=True)),
    "e_sql_rewrite": (
        "the first query where it is right, else mended or new",
        Kind("revise", "json", reasons=True),
    ),
    "e_sql_write": (
        "Work out which tables, columns, values and conditions it needs",
        Kind("query", "json", reasons=True),
    ),
    "gsr_clauses": ("Say the same as a numbered list of simple statements", Kind("words", reasons=True)),
    "gsr_columns": ("Which tables does this query use, and which", Kind("read")),
    "gsr_final": ("The database is sure to hold an answer", Kind("revise", "mark", "SQL:")),
    "gsr_keywords": ("which text would one search among its cells?", Kind("cells")),
    "gsr_mend": ("This query can't be right:", Kind("revise", "mark", "SQL:")),
    "gsr_others": ("columns of each table could matter as well?", Kind("columns", "json", "")),
    "gsr_second": ("Reconsider it: is each column the one", Kind("revise", "mark", "SQL:")),
    "gsr_write": ("The same taken apart:", Kind("query", "mark", "SQL:")),
    "index_query": ("Use only columns that are listed, name the ones you", Kind("query")),
    "keywords": ("List every keyword and phrase", Kind("keywords", "json", "")),
    "mac_decompose": ("and let the last one answer the whole question", Kind("query", reasons=True)),
    "mac_refine": ("and running it showed a problem. Mend it.", Kind("revise")),
    "mac_select": (
        "Say which tables and columns of a database",
        Kind("keep or drop"),
    ),
    "opensearch_align": ("Mend that and nothing else.", Kind("revise")),
    "opensearch_correct": ("Find out why. Reply with the one corrected", Kind("revise")),
    "opensearch_extract": ("query for it may need, at most ten", Kind("links", "json", "columns")),
    "opensearch_nouns": ("List what the question and its evidence name", Kind("keywords", "json", "")),
    "opensearch_order": ("What does this question want to be told", Kind("object", "json", "select")),
    "opensearch_write": (
        "Reply in these sections, each on lines",
        Kind("query", "mark", "#SQL:", reasons=True),
    ),
    "pet_sql": ("of all ways to write it one that takes little time to run", Kind("query", "continue")),
    "react_opening": ("with the keys thought (what you make of things so far)", Kind("act", "json")),
    "rsl_choose": ("Give it as it is, or a\nbetter one where both are wrong", Kind("revise", "json")),
    "rsl_conditions": ("Take this question apart into the conditions", Kind("object", "json", "conditions")),
    "rsl_failed": ("query answers the question and brings rows. Reply", Kind("revise", "json")),
    "rsl_keywords": (
        "Which words of SQL will the query",
        Kind("object", "json", "sql_keywords"),
    ),
    "rsl_link": ("such as table.`column`", Kind("links", "json", "columns")),
    "rsl_write": ("The hints may be incomplete or wrong", Kind("query", "json")),
    "ta_draft": ("Write the function's missing part", Kind("query", "continue")),
    "ta_symbols": ("like those on a data frame.", Kind("words", reasons=True)),
    "ta_translate": ("Turn steps on data frames into one", Kind("query", "continue")),
    "unit_tests_judge": ("Hold each candidate against this test alone.", Kind("verdicts", "tag", "answer")),
    "unit_tests_write": ("tests that tell right queries from wrong ones", Kind("tests", "tag", "answer")),
}
"""By prompt: words that only its text holds, and what it asks for."""


@lru_cache(maxsize=64)
def kind_of(words: str) -> Kind:
    """What the last of our prompts in a conversation asks for; a query in a fence where none is known."""
    found = {place: kind for marker, kind in KINDS.values() if (place := words.rfind(marker)) >= 0}
    return found[max(found)] if found else OTHERWISE
