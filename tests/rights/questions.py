"""Two hundred questions about the shop, made from templates; half of them about what is hidden.

And what an answer to one says, to be searched for what is hidden.
"""

import json
from itertools import islice

from fathom.answering import as_json
from fathom.answering.markdown import answer_as_markdown
from fathom.records import Answer

TEMPLATES = (
    "How many customers live in {place}?",
    "Which customers live in {place}?",
    "names of customers in {place}",
    "orders of {person}",
    "How many orders does {person} have?",
    "What is the city of {person}?",
    "total quantity of orders by {person}",
    "Which country is {person} from?",
    "list the {things}",
    "How many {things} are there?",
    "What is the {fact} of {person}?",
    "customers with the highest {fact}",
    "average {fact} per city",
    "show {fact} of every customer",
    "customers per {fact}",
    "Which customers have a {fact} above 100?",
    "{things} by customer",
    "customers without {things}",
    "orders in {year}",
    "How many orders in {year}?",
    "total quantity in {year} per product title",
    "Is there a customer called {person}?",
    "orders of customers from {place} in {year}",
    "{things} of {person}",
    "{fact} and city of customers in {place}",
)
FILLERS = {
    "place": ("Paris", "Ulmengard", "Lyon", "Vrakhund", "Ulmengart", "France", "Nantes", "Pariss"),
    "person": ("Anna Petit", "Zambrokwist", "Bernard Roux", "Pfefferquist", "Zambrokwyst", "Chloe Blanc"),
    "things": ("orders", "xylomancy", "products", "xylomancies", "ulm view", "customers", "cities"),
    "fact": ("city", "quorvex", "country", "xylo bonus", "name", "quorvexes", "quantity"),
    "year": ("2023", "2019", "2024", "2018"),
}


def questions(count: int = 200) -> list[str]:
    """The questions, each template in turn with other words."""
    made: dict[str, None] = {}
    for turn in range(40):
        for place, template in enumerate(TEMPLATES):
            words = {k: v[(turn + place * (k == "person")) % len(v)] for k, v in FILLERS.items()}
            made[template.format(**words)] = None
    return list(islice(made, count))


def said(given: Answer) -> str:
    """All that an answer says: as JSON, with the trace, and as Markdown."""
    return json.dumps([as_json(given, trace=True), answer_as_markdown(given)], default=str)


def told(given: Answer) -> object:
    """The parts of an answer that tell whether it is the same as another's."""
    rows = given.result and given.result.rows
    return given.ending, given.text.partition(" Nearest")[0], given.sql, rows, [r.sql for r in given.readings]
