from fathom.biotools.callers import OfflineCaller, SolvedCall
from fathom.biotools.callers.solved_lessons import from_solved


def test_what_an_example_is_about_is_not_taken_over() -> None:
    """Only how it is answered is: the next question has its own species and its own words."""
    lesson = from_solved(
        SolvedCall(
            "Which PubMed papers are about coffee in mice?",
            "esearch",
            {"db": "pubmed", "term": "coffee AND mus musculus[Organism]", "retmax": 20, "sort": "relevance"},
        )
    )
    assert "term" not in lesson.fixed
    assert lesson.fixed["retmax"] == 20
    assert lesson.fixed["sort"] == "relevance"
    region = SolvedCall(
        "Genes on chr12:1,000,000-1,040,000 of the goat?",
        "overlap_by_region",
        {"species": "capra_hircus", "region": "12:1000000-1040000", "feature": "gene"},
    )
    assert not {"species", "region"} & from_solved(region).fixed.keys()


def test_a_near_question_is_asked_about_its_own_things() -> None:
    caller = OfflineCaller(
        [
            SolvedCall(
                "Show proteins of human TP53 in UniProt.",
                "search_uniprotkb",
                {"query": "gene:TP53 AND organism_id:9606", "size": 3},
            )
        ]
    )
    call = caller.read("Show proteins of mouse EGFR in UniProt.").call
    assert call is not None
    assert call.arguments == {"query": "gene:EGFR AND organism_id:10090", "size": 3}


def test_an_endpoint_without_any_words_is_found_by_what_the_catalogue_says() -> None:
    caller = OfflineCaller(phrasings=())
    proposal = caller.read(
        "Compute the linkage between variants in the region 29:707234-757234 of NextGen:All"
    )
    assert proposal.endpoint == "get_ld_region"
