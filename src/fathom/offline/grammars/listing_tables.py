"""Tables that only list something of the rows of another: the categories of each shop, a row each."""

from fathom.offline.linking import ColumnKey
from fathom.offline.linking.text import last_word
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import CODES, RowNames


def lists_kinds(table: TableRef, fact: TableRef, planner: JoinPlanner, names: RowNames) -> bool:
    """True if a table holds but one column beside its keys, which lead to what each row of `fact` has.

    So rows of `fact` come once for each kind, whatever they are counted or added up by.
    """
    schema = planner.schema
    owners = {k.target_table for k in schema.foreign_keys if k.table == table.name}
    if len(owners) != 1:
        return False
    owner = TableRef(owners.pop())
    if owner.name == table.name or not (owner == fact or planner.one_each(fact, (fact, owner))):
        return False
    told = [
        c.name
        for c in schema.table(table.name).columns
        if not names.is_reference(ColumnKey(table.name, c.name)) and last_word(c.name) not in CODES
    ]
    return len(told) == 1
