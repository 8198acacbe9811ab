"""One module for each page: a function gathers what it shows, and a template shows it."""

from fathom.interfaces.web.pages import (
    answer,
    ask,
    database,
    files,
    history,
    home,
    knowledge,
    links,
    review,
    review_items,
    run_comparison,
    runs,
    saved,
    saved_question,
    served,
    sql,
    teach,
    tools,
)

_PAGES = (
    home,
    ask,
    answer,
    links,
    history,
    saved,
    saved_question,
    database,
    sql,
    files,
    knowledge,
    teach,
    tools,
    runs,
    run_comparison,
    review,
    review_items,
    served,
)
ROUTERS = tuple(one.router for one in _PAGES)
