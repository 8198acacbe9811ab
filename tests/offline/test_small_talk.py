"""What is said around a question is taken off, and nothing else."""

import pytest

from fathom.offline.paraphrase.small_talk import to_the_point


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Hi, can you tell me who the sales manager is?", "who is the sales manager?"),
        ("could you please count the cancelled orders", "count the cancelled orders"),
        ("i'd like a list of the towns in Ohio, thanks", "the towns in Ohio"),
        ("I\u2019d like to see the emails of all clients.", "the emails of all clients."),
        ("I would like to know when the bridge was built", "when was the bridge built"),
        ("I want to know what the population of texas is", "what is the population of texas"),
        ("tell me who lives in texas", "who lives in texas"),
        ("can I have the email of Ann Lee", "the email of Ann Lee"),
        ("tell me what the shops that are in Rome are called", "what the shops that are in Rome are called"),
        ("get me the shops please", "the shops"),
        ("whats the largest city", "what is the largest city"),
        ("who's our oldest patient?", "who is our oldest patient?"),
        ("what types of shops do we have", "What are the different types of shops?"),
        ("hello, which shops are in Rome?", "which shops are in Rome?"),
    ],
)
def test_what_is_asked_is_left(asked: str, said: str) -> None:
    assert to_the_point(asked) == said


@pytest.mark.parametrize(
    "asked",
    [
        "Hey Jude composer",
        "Get Back duration",
        "hi-fi systems",
        "Show Me the Money rating",
        "Who wrote My Way and What's Going On?",
        "In which cities do we have shops?",
        "please",
        "Could you tell me whether Rome is in Italy?",
        "Which cities do we have shops in?",
        "How many songs are called thanks",
        "Composers of the song Please",
        "Which words are a translation of thank you?",
        "What are the names of the shops?",
        "Who directed the film whose title is Thanks a Lot?",
    ],
)
def test_what_may_be_meant_stays(asked: str) -> None:
    assert to_the_point(asked) == asked
