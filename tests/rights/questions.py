"""Two hundred questions about the shop, made from templates; half of them about what is hidden."""

from itertools import islice

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
