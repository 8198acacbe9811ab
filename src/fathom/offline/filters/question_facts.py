"""A question as the rules for filters read it."""

from fathom.offline.filters.records import Restriction
from fathom.offline.grammars.amounts import asked_money
from fathom.offline.grammars.asked_numbers import asked_units
from fathom.offline.question_facts import QuestionReading


class FilterReading(QuestionReading[Restriction]):
    """A question, and what rules for filters need to know of each other's words."""

    @property
    def has_years_itself(self) -> bool:
        """True if the question asks for a sum, which has its years itself."""
        units = asked_units(self.linking, self.names, self.amounts)
        return asked_money(self.linking, averaged=True) is not None or bool(units)

    def places(self, *rules: str) -> set[int]:
        """The places of the words that some rules read."""
        return {i for name in rules for r in self.found(name) for i in r.places}
