"""The checks: named rules that speak against a query, each with a question and a query that it bars."""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from typing import Generic, TypeVar

from fathom.offline.checks import contradicts, leaves_out, other_rows, words_left
from fathom.offline.checks.checked_query import CheckedQuery
from fathom.offline.checks.counted_things import compares_others, counts_others
from fathom.offline.checks.extra_columns import shows_unasked
from fathom.offline.checks.outcomes import outcomes_left
from fathom.offline.checks.passed_over import denials_passed_over
from fathom.offline.checks.shows_less import counts_all, shows_less
from fathom.offline.checks.takes_all import restricting_left
from fathom.offline.grammars.hierarchies import shows_only_keys
from fathom.offline.grammars.kinds import counts_kind
from fathom.offline.rule import OfflineRule

Said_co = TypeVar("Said_co", covariant=True)


@dataclass(frozen=True)
class CheckRule(OfflineRule[Callable[[CheckedQuery], Said_co]], Generic[Said_co]):
    """A check, and a query `against` which it speaks where that is proposed for the example."""

    against: str


Check = CheckRule[bool | Sized]
"""A check that speaks against a query where it holds. It gives no generator, which would always hold."""
WordsCheck = CheckRule[tuple[int, ...]]
"""A check that gives the places of the words that a query leaves over."""

CONTRADICTIONS: tuple[Check, ...] = (
    CheckRule(
        "compares_otherwise", lambda c: contradicts.compares_otherwise(c.query, c.linking),
        "products with a price over 50", "shop",
        "SELECT product_name FROM products WHERE price = 50",
    ),
    CheckRule(
        "compares_the_other_way", lambda c: contradicts.compares_the_other_way(c.query, c.linking),
        "Which products have a price lower than the average?", "shop",
        "SELECT product_name FROM products WHERE price > (SELECT AVG(price) FROM products)",
    ),
    CheckRule(
        "leaves_one_out", lambda c: contradicts.leaves_one_out(c.query, c.linking),
        "How many orders are there from customers in Brazil and France?", "shop",
        "SELECT COUNT(*) FROM customers WHERE country = 'Brazil'",
    ),
    CheckRule(
        "leaves_number_out", lambda c: contradicts.leaves_number_out(c.query, c.linking),
        "How many order items have a quantity of 2 to 4?", "shop",
        "SELECT COUNT(*) FROM order_items WHERE quantity <= 4",
    ),
    CheckRule(
        "counts_one", lambda c: contradicts.counts_one(c.query, c.linking, c.names),
        "How many tracks does Iron Maiden have?", "chinook",
        "SELECT COUNT(*) FROM Artist WHERE Name = 'Iron Maiden'",
    ),
    CheckRule(
        "shows_less", lambda c: shows_less(c.query, c.linking, c.names),
        "List the names and prices of products", "shop",
        "SELECT price FROM products",
    ),
    CheckRule(
        "takes_year_otherwise", lambda c: contradicts.takes_year_otherwise(c.query, c.linking),
        "How many orders were placed in 2021?", "shop",
        "SELECT COUNT(*) FROM orders WHERE total_amount = 2021",
    ),
    CheckRule(
        "takes_count_for_key", lambda c: contradicts.takes_count_for_key(c.query, c.linking, c.names),
        "Names of customers with 3 orders", "shop",
        "SELECT name FROM customers WHERE customer_id = 3",
    ),
    CheckRule(
        "denies_nothing", lambda c: contradicts.denies_nothing(c.query, c.linking),
        "customers who never placed an order", "shop",
        "SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id",
    ),
    CheckRule(
        "ranks_nothing", lambda c: contradicts.ranks_nothing(c.query, c.linking),
        "Which is the smallest room?", "hotel",
        "SELECT room_type FROM room",
    ),
    CheckRule(
        "ranks_from_the_other_end",
        lambda c: contradicts.ranks_from_the_other_end(c.query, c.linking),
        "Which product has the lowest price?", "shop",
        "SELECT product_name FROM products ORDER BY price DESC LIMIT 1",
    ),
    CheckRule(
        "shows_keys_for_names", lambda c: contradicts.shows_keys_for_names(c.query, c.linking),
        "What are the names of the customers?", "shop",
        "SELECT customer_id FROM customers",
    ),
    CheckRule(
        "shows_twice", lambda c: len({*c.query.select}) < len(c.query.select),
        "Show the country and the number of customers of each country", "shop",
        "SELECT country, country FROM customers GROUP BY country",
    ),
    CheckRule(
        "adds_up_keys", lambda c: contradicts.adds_up_keys(c.query),
        "total amount of all orders", "shop",
        "SELECT SUM(order_id) FROM orders",
    ),
    CheckRule(
        "wants_two_values", lambda c: contradicts.wants_two_values(c.query),
        "Which countries have both female and male customers?", "shop",
        "SELECT gender FROM customers WHERE gender = 'female' INTERSECT "
        "SELECT gender FROM customers WHERE gender = 'male'",
    ),
    CheckRule(
        "gives_one_for_each", lambda c: contradicts.gives_one_for_each(c.query, c.linking),
        "Which product is the dearest in each category?", "shop",
        "SELECT product_name FROM products ORDER BY price DESC LIMIT 1",
    ),
    CheckRule(
        "counts_repeats", lambda c: contradicts.counts_repeats(c.query, c.linking),
        "customers with orders of more than two different statuses", "shop",
        "SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id "
        "GROUP BY T1.customer_id HAVING COUNT(T2.status) > 2",
    ),
    CheckRule(
        "shows_flag", lambda c: contradicts.shows_flag(c.query, c.linking),
        "open businesses", "reviews",
        "SELECT is_open FROM business",
    ),
)  # fmt: skip
"""Checks for a query that says something else than its question, in ways that learned weights overlook."""

OVERLOOKED: tuple[Check, ...] = (
    CheckRule(
        "leaves_out_years", lambda c: leaves_out.leaves_out_years(c.query, c.linking),
        "How many orders were placed in 2021?", "shop",
        "SELECT COUNT(*) FROM orders",
    ),
    CheckRule(
        "calculates_nothing", lambda c: leaves_out.calculates_nothing(c.query, c.linking),
        "What is the average price of products?", "shop",
        "SELECT product_name FROM products",
    ),
    CheckRule(
        "leaves_out_values", lambda c: leaves_out.leaves_out_values(c.query, c.linking, c.said_by_form),
        "average total amount of returned orders", "shop",
        "SELECT AVG(total_amount) FROM orders",
    ),
)  # fmt: skip
"""Checks for a year, an average or a value that is passed over, which another query likely holds.

On databases that the weights never saw, the likeliest query that passes over none was right for 19 questions
and the one put behind it for 4.
"""

OUTCOMES = WordsCheck(
    "outcomes_left",
    # Solved questions say what verbs of how it went mean.
    lambda c: () if c.has_examples else outcomes_left(c.query, c.linking, c.planner),
    "Which orders were cancelled in 2021?", "northwind",
    "SELECT Id FROM \"Order\" WHERE OrderDate LIKE '2021%'",
)  # fmt: skip
"""Verbs of how it went, which a query that falls short of its question passes over."""

SHORTFALLS: tuple[Check, ...] = (
    CheckRule(
        "shows_something_else",
        lambda c: leaves_out.shows_something_else(c.query, c.linking, c.names),
        "Who borrowed the most books?", "library",
        "SELECT city FROM members",
    ),
    CheckRule(
        "groups_by_less", lambda c: leaves_out.groups_by_less(c.query, c.linking),
        "number of customers by country and gender", "shop",
        "SELECT country, COUNT(*) FROM customers GROUP BY country",
    ),
    *OVERLOOKED,
    CheckRule(
        "starts_within", lambda c: leaves_out.starts_within(c.query, c.linking),
        "How many orders were placed in 2021?", "shop",
        "SELECT COUNT(*) FROM orders WHERE order_date >= '2021-01-01'",
    ),
    CheckRule(
        "counts_once", lambda c: leaves_out.counts_once(c.query, c.linking),
        "How many customers and how many products are there?", "shop",
        "SELECT COUNT(*) FROM customers",
    ),
    CheckRule(
        "counts_unasked", lambda c: leaves_out.counts_unasked(c.query, c.linking),
        "List the customers", "shop",
        "SELECT COUNT(*) FROM customers",
    ),
    CheckRule(
        "counts_values", lambda c: leaves_out.counts_values(c.query, c.linking),
        "How many customers have a company?", "chinook",
        "SELECT COUNT(DISTINCT Company) FROM Customer",
    ),
    CheckRule(
        "averages_all", lambda c: leaves_out.averages_all(c.query, c.linking),
        "products dearer than the average of their own category", "shop",
        "SELECT product_name FROM products WHERE price > (SELECT AVG(price) FROM products)",
    ),
    CheckRule(
        "divides_nothing", lambda c: leaves_out.divides_nothing(c.query, c.linking),
        "What percentage of orders were returned?", "shop",
        "SELECT COUNT(*) FROM orders WHERE status = 'returned'",
    ),
    CheckRule(
        "leaves_out_what_is_so", lambda c: leaves_out.leaves_out_what_is_so(c.query, c.linking),
        "How many books are signed?", "library",
        "SELECT COUNT(*) FROM books",
    ),
    CheckRule(
        "shows_what_is_given", lambda c: leaves_out.shows_what_is_given(c.query, c.linking),
        "Which customers are from Brazil?", "shop",
        "SELECT country FROM customers WHERE country = 'Brazil'",
    ),
    CheckRule(
        "counts_all", lambda c: counts_all(c.query, c.linking),
        "How many customers are there for each country?", "shop",
        "SELECT COUNT(*) FROM customers",
    ),
    CheckRule(
        "counts_others", lambda c: counts_others(c.query, c.linking, c.planner),
        "How many customers are there in Brazil?", "shop",
        "SELECT COUNT(*) FROM products",
    ),
    CheckRule(
        "compares_others", lambda c: compares_others(c.query, c.linking, c.planner),
        "Which albums have tracks in more than one genre?", "chinook",
        "SELECT T1.Title FROM Album AS T1 JOIN Track AS T2 ON T1.AlbumId = T2.AlbumId "
        "JOIN Genre AS T3 ON T2.GenreId = T3.GenreId GROUP BY T1.AlbumId HAVING COUNT(*) > 1",
    ),
    CheckRule(
        "tells_less", lambda c: other_rows.tells_less(c.query, c.linking),
        "products with their prices", "shop",
        "SELECT category FROM products",
    ),
    CheckRule(
        "ranks_unasked", lambda c: other_rows.ranks_unasked(c.query, c.linking),
        "products by price", "shop",
        "SELECT product_name FROM products ORDER BY price LIMIT 1",
    ),
    CheckRule(
        "shows_what_restricts", lambda c: other_rows.shows_what_restricts(c.query, c.linking),
        "Which loans end in 2022?", "library",
        "SELECT return_date FROM loans WHERE return_date LIKE '2022%'",
    ),
    CheckRule(
        "leaves_first_out", lambda c: other_rows.leaves_first_out(c.query, c.linking),
        "orders of Ann with the customer's name", "shop",
        "SELECT name FROM customers",
    ),
    CheckRule(
        "shows_others", lambda c: other_rows.shows_others(c.query, c.linking, c.names),
        "Which customers ordered in 2021?", "shop",
        "SELECT order_date FROM orders",
    ),
    CheckRule(
        "groups_by_others", lambda c: other_rows.groups_by_others(c.query, c.linking, c.planner),
        "How many orders did each shipper ship?", "northwind",
        'SELECT ShipName, COUNT(*) FROM "Order" GROUP BY ShipName',
    ),
    CheckRule(
        "counts_each_once",
        lambda c: other_rows.counts_each_once(c.query, c.linking, c.names, c.planner),
        "What is the most used playlist?", "chinook",
        "SELECT Name FROM Playlist GROUP BY PlaylistId ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    CheckRule(
        "shows_only_keys", lambda c: shows_only_keys(c.query, c.linking, c.planner),
        "Who is the manager of Jane Peacock?", "chinook",
        "SELECT ReportsTo FROM Employee WHERE LastName = 'Peacock'",
    ),
    CheckRule(
        "counts_kind", lambda c: counts_kind(c.query, c.linking, c.planner, c.names),
        "How many MPEG audio files are there?", "chinook",
        "SELECT COUNT(*) FROM MediaType WHERE Name = 'MPEG audio file'",
    ),
    OUTCOMES,
)  # fmt: skip
"""Checks for a part of the question that a query leaves out, or that it asks of other rows."""

OF_GRAMMARS: tuple[Check, ...] = (
    CheckRule(
        "shows_unasked", lambda c: shows_unasked(c.query, c.linking),
        "last names of employees", "chinook",
        "SELECT FirstName, LastName FROM Employee",
    ),
)  # fmt: skip

FORMS_LEFT: tuple[WordsCheck, ...] = (
    WordsCheck(
        "period_left", words_left.period_left,
        "number of orders per month", "shop",
        "SELECT COUNT(*) FROM orders",
    ),
    WordsCheck(
        "money_left", words_left.money_left,
        "total revenue by country", "shop",
        "SELECT country, COUNT(*) FROM customers GROUP BY country",
    ),
    WordsCheck(
        "sales_left", words_left.sales_left,
        "Which products were sold in 2021?", "shop",
        "SELECT product_name FROM products",
    ),
)  # fmt: skip
"""Checks for words that ask for an answer of another form: by period, of money, of what was sold.

They are asked of the chosen query before one that shows names for its keys may take its place, since that one
is made surer; `WORDS_LEFT` is asked of the query that stands then.
"""

WORDS_LEFT: tuple[WordsCheck, ...] = (
    WordsCheck(
        "names_left", lambda c: leaves_out.names_left(c.query, c.linking, c.missing),
        "How many employees work in the Gotham office?", "chinook",
        "SELECT COUNT(*) FROM Employee",
    ),
    WordsCheck(
        "restricting_left", lambda c: restricting_left(c.query, c.linking, c.said_by_form),
        "Which customers have a dog?", "shop",
        "SELECT name FROM customers",
    ),
    WordsCheck(
        "passed_over", words_left.restrictions_left,
        "How many unpaid orders are there?", "shop",
        "SELECT COUNT(*) FROM orders",
    ),
)  # fmt: skip
"""Checks for words that restrict rows and for which no part of a query stands, whatever else speaks for it.

They are asked of the chosen query alone: where one of them finds words, there is no answer.
"""

DENIALS_LEFT = WordsCheck(
    "denials_left", lambda c: denials_passed_over(c.query, c.linking),
    "Which products were never ordered?", "shop",
    "SELECT product_name FROM products",
)  # fmt: skip
"""A check of the query that stands in the end, filters and all: it denies as many things as its question."""

CHECKS: tuple[Check, ...] = (
    *CONTRADICTIONS, *SHORTFALLS, *OF_GRAMMARS, *FORMS_LEFT, *WORDS_LEFT, DENIALS_LEFT,
)  # fmt: skip

NAMED: Mapping[str, Check] = {c.name: c for c in CHECKS}

AGAINST_GRAMMARS = (NAMED["shows_unasked"], NAMED["takes_year_otherwise"], NAMED["shows_less"])
"""Checks of what a grammar makes, before it is chosen."""
