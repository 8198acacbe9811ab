"""Rules that write a query in another way with the same result, each an edit of its parse."""

from fathom.efficiency.rules import filters, needless, predicates, subqueries
from fathom.efficiency.rules.rule import Rule

__all__ = ["RULES", "Rule"]

RULES = (*subqueries.RULES, *needless.RULES, *filters.RULES, *predicates.RULES)
