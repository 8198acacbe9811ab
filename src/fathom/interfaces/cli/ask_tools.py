"""`fathom ask-tools`: a question to NCBI, UniProt and Ensembl."""

from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending


def ask_tools(
    question: str,
    /,
    *,
    caller: str | None = None,
    calls: int = 4,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    json: bool = False,
) -> int:
    """Answer a question from NCBI, UniProt or Ensembl, with the address to check it at.

    Exits with 0 where there is an answer, and with 3 where there is none.

    Parameters
    ----------
    question
        In plain language.
    caller
        How to find the calls: offline, llm or finetuned; llm with a model and offline without one if it isn't
        given.
    calls
        The most calls made in a row, where one answer feeds the next.
    model
        The language model to ask, PROVIDER:NAME or http://HOST:PORT/v1#NAME (fathom models).
    json
        Print one JSON object: answer, confidence, calls, notes.
    """
    from fathom.interfaces.cli.tool_answers import show_tool_question  # noqa: PLC0415, help needs none of it
    from fathom.llm import opened_model  # noqa: PLC0415, slow to import

    budget = spending.budget("question")
    with opened_model(model, cassette=recording.cassette, replay=recording.replay, budget=budget) as opened:
        return show_tool_question(question, caller=caller, model=opened, limit=calls, as_json=json)
