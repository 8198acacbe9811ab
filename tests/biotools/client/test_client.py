import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from fathom.biotools.catalogue import check, request_for
from fathom.biotools.client import Client, ClientOptions, read_options
from fathom.biotools.client.pace import RequestSpacing
from fathom.biotools.client.store import ResponseStore
from fathom.biotools.loopback import Faults, Loopback
from fathom.errors import (
    CallFailed,
    CallRefused,
    ConfigError,
    RateLimited,
    RecordNotFound,
    RequestRejected,
    ResponseTooLarge,
    ServiceDown,
)
from tests.biotools.conftest import quick
from tests.disks import fill, small_disk

GENE = ("lookup_by_symbol", {"species": "human", "symbol": "BRAF"})


def test_records_agree_across_endpoints(client: Client) -> None:
    found = client.call(*GENE).json
    assert client.call("lookup_by_id", {"id": found["id"]}).json["display_name"] == "BRAF"
    assert client.call("get_xrefs_by_symbol", GENE[1]).json[0]["id"] == found["id"]


def test_a_response_is_kept_and_served_again(loopback: Loopback, tmp_path: Path) -> None:
    with Client(quick(tmp_path, loopback)) as client:
        first = client.call(*GENE)
        came = len(loopback.times["ensembl"])
        second = client.call(*GENE)
        assert (second.from_cache, second.json) == (True, first.json)
        assert len(loopback.times["ensembl"]) == came
        assert not client.call(*GENE, fresh=True).from_cache
    with Client(quick(tmp_path, loopback, keep_seconds=0.0)) as later:
        assert not later.call(*GENE).from_cache


def test_a_damaged_store_is_begun_anew(loopback: Loopback, tmp_path: Path) -> None:
    (tmp_path / "responses.sqlite").write_bytes(b"not a database" * 100)
    with Client(quick(tmp_path, loopback)) as client:
        client.call(*GENE)
        assert client.call(*GENE).from_cache


def test_a_full_disk_keeps_no_response_and_is_told_once(
    loopback: Loopback, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        with Client(quick(disk, loopback)) as client:
            fill(disk)
            for _ in range(2):
                with pytest.raises(ConfigError, match=r"rates of calls can't be kept in .* Set FATHOM_CACHE"):
                    client.call(*GENE, fresh=True)
        (disk / "filler").unlink()
        store = ResponseStore(disk / "responses.sqlite", seconds=60)
        fill(disk)
        request = request_for(check(*GENE))
        for _ in range(2):
            store.put(request, "", {}, bytes(range(256)) * 99)
            assert store.get(request, "") is None
    (told,) = caplog.records
    assert "Responses can't be kept in" in told.getMessage()


@pytest.mark.parametrize(
    ("name", "arguments", "error", "told"),
    [
        ("lookup_by_id", {"id": "ENSG99999999999"}, RecordNotFound, "not found"),
        ("get_disease_by_id", {"id": "DI-99999"}, RecordNotFound, "Resource not found"),
        ("lookup_by_symbol", {"species": "no_such_beast", "symbol": "BRAF"}, RecordNotFound, "internal name"),
        ("search_uniprotkb", {"query": "colour:blue"}, RequestRejected, "not a valid search field"),
        (
            "get_ld_region",
            {"species": "goat", "region": "29:1-900", "population_name": "A:B"},
            CallFailed,
            "population",
        ),
        (
            "blast",
            {"QUERY": "MKVFAILFAILTAA", "DATABASE": "nr", "PROGRAM": "blastp"},
            RequestRejected,
            "failed",
        ),
    ],
)
def test_refusals_are_told_as_what_they_are(
    client: Client, name: str, arguments: dict[str, object], error: type[CallFailed], told: str
) -> None:
    with pytest.raises(error, match=told):
        client.call(name, arguments)


def test_nothing_is_sent_for_wrong_arguments(client: Client, loopback: Loopback) -> None:
    came = sum(map(len, loopback.times.values()))
    with pytest.raises(CallRefused):
        client.call("lookup_by_symbol", {"species": "gaot", "symbol": "BRAF"})
    assert sum(map(len, loopback.times.values())) == came


def test_who_calls_is_told_but_shown_nowhere(loopback: Loopback, tmp_path: Path) -> None:
    options = quick(tmp_path, loopback, email="me@example.org", api_key="SECRET")
    with Client(options) as client:
        response = client.call("esearch", {"db": "gene", "term": "BRCA2"})
    assert "SECRET" not in response.url + repr(options) + str(response)
    kept = (tmp_path / "responses.sqlite").read_bytes()
    assert b"SECRET" not in kept


def test_blast_submits_asks_and_fetches(tmp_path: Path) -> None:
    told: list[str] = []
    with Loopback(blast_polls=2) as server, Client(quick(tmp_path, server)) as client:
        query = {
            "query": "MGKVVAQASVSLDGFIAGPGG",
            "database": "swissprot",
            "program": "blastp",
            "HITLIST_SIZE": 7,
        }
        response = client.call("blast", query, progress=told.append)
        assert len(server.times["blast"]) == 5  # one submission, three questions, one report
    search = response.json["BlastOutput2"]["report"]["results"]["search"]
    assert (len(search["hits"]), search["query_len"]) == (7, 21)
    assert [line.split(": ")[-1].split()[0] for line in told[1:]] == ["waiting", "waiting", "ready"]
    assert parse_qs(urlsplit(response.url).query)["CMD"] == ["Get"]


def test_a_merged_entry_is_followed_to_where_it_moved(client: Client) -> None:
    assert client.call("get_uniprotkb_entry", {"accession": "Q00001"}).json["primaryAccession"] == "P05067"


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", "http://localhost:9/secret")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = ClientOptions(
            folder=tmp_path, bases={"ensembl": f"http://127.0.0.1:{server.server_address[1]}"}
        )
        with Client(options) as client, pytest.raises(RequestRejected, match="another host"):
            client.call(*GENE)
        server.shutdown()


def test_pages_go_on_to_the_last(client: Client) -> None:
    call = check("search_uniprotkb", {"query": "gene:TP53", "size": 2})
    pages = list(client.pages(call, most=50))
    accessions = [r["primaryAccession"] for p in pages for r in p.json["results"]]
    assert len(accessions) == pages[0].total
    assert len(pages) == -(-len(accessions) // 2)
    found = list(client.pages(check("esearch", {"db": "gene", "term": "kinase", "retmax": 30}), most=50))
    listed = [i for p in found for i in p.json["esearchresult"]["idlist"]]
    assert len(listed) == int(found[0].json["esearchresult"]["count"])
    assert len(list(client.pages(call, most=2))) == 2


def test_a_large_body_is_refused_in_memory_and_saved_by_streaming(tmp_path: Path) -> None:
    with (
        Loopback(stream_megabytes=6) as server,
        Client(quick(tmp_path, server, most_bytes=1_000_000)) as client,
    ):
        call = check("stream_uniprotkb", {"query": "gene:TP53"})
        with pytest.raises(ResponseTooLarge, match="1 MB"):
            client.make(call)
        file = tmp_path / "entries.json"
        assert client.save(call, file) == file.stat().st_size > 5_000_000
        assert sorted(p.suffix for p in tmp_path.glob("entries*")) == [".json"]


@pytest.mark.parametrize("kind", ["429", "500", "reset", "truncated", "wrong type"])
def test_a_passing_fault_is_overcome(tmp_path: Path, kind: str) -> None:
    faults = Faults(share=0.5, seed=4, kinds=(kind,))
    with Loopback(faults=faults) as server, Client(quick(tmp_path, server, attempts=12)) as client:
        for number in range(8):
            client.call("get_taxonomy_by_id", {"taxonId": 9000 + number})
    assert faults.told[kind] > 0


@pytest.mark.parametrize(
    ("kind", "error"),
    [("429", RateLimited), ("500", ServiceDown), ("reset", ServiceDown), ("slow", ServiceDown)],
)
def test_a_lasting_fault_is_told(tmp_path: Path, kind: str, error: type[CallFailed]) -> None:
    faults = Faults(share=1.0, kinds=(kind,), slow_seconds=1.0)
    with Loopback(faults=faults) as server:
        options = quick(tmp_path, server, attempts=2, timeout=0.2, longest_pause=0.05)
        with Client(options) as client, pytest.raises(error) as caught:
            client.call(*GENE)
    assert caught.value.retryable


def test_a_submission_is_never_made_twice_after_a_reset(tmp_path: Path) -> None:
    faults = Faults(share=1.0, kinds=("reset",))
    with Loopback(faults=faults) as server, Client(quick(tmp_path, server)) as client:
        with pytest.raises(ServiceDown):
            client.call("blast", {"query": "MGKVVAQASVSLDGF", "database": "nr", "program": "blastp"})
        assert faults.told["reset"] == 1


def test_a_service_that_is_not_there_is_told(tmp_path: Path) -> None:
    options = ClientOptions(folder=tmp_path, bases={"ensembl": "http://127.0.0.1:9"}, attempts=1)
    with Client(options) as client, pytest.raises(ServiceDown, match="can't be reached"):
        client.call(*GENE)


def test_pauses_double_up_to_the_longest_and_vary_by_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:  # 501: it knows no GET
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        options = ClientOptions(
            folder=tmp_path, bases={"ensembl": base}, attempts=6, first_pause=1.0, longest_pause=6.0
        )
        with Client(options) as client:
            monkeypatch.setattr("tenacity.nap.time.sleep", slept.append)
            with pytest.raises(ServiceDown):
                client.call(*GENE)
        server.shutdown()
    waited = [s for s in slept if s >= 0.5]  # not for the next request's turn
    assert len(waited) == 5
    for seconds, longest in zip(waited, (1, 2, 4, 6, 6), strict=True):
        assert longest / 2 <= seconds <= longest


def test_pace_spaces_threads_and_shares_a_pause(tmp_path: Path) -> None:
    paces = [RequestSpacing(tmp_path, "x", 0.02) for _ in range(3)]

    def some(pace: RequestSpacing) -> None:
        for _ in range(4):
            pace.wait()

    before = time.monotonic()
    threads = [threading.Thread(target=some, args=(p,)) for p in paces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - before >= 11 * 0.02 - 0.005
    before = time.monotonic()
    paces[0].pause(0.2)
    paces[1].wait()
    assert time.monotonic() - before >= 0.2 - 0.005


def test_a_pace_from_a_wrong_clock_is_forgotten(tmp_path: Path) -> None:
    pace = RequestSpacing(tmp_path, "x", 0.001)
    (tmp_path / "x.next").write_text(repr(time.time() + 1e7))
    assert pace.wait() < 1
    (tmp_path / "x.next").write_text("nonsense")
    assert pace.wait() < 1


def test_options_come_from_the_environment() -> None:
    options = read_options(
        {"FATHOM_BASE_ENSEMBL": "http://localhost:1/", "NCBI_API_KEY": "K", "FATHOM_EMAIL": "a@b"}
    )
    assert options.base("ensembl") == "http://localhost:1"
    assert options.base("uniprot") == "https://rest.uniprot.org"
    assert options.rate("eutils") == 10
    with pytest.raises(ConfigError, match="FATHOM_BASE_UNIPROT"):
        read_options({"FATHOM_BASE_UNIPROT": "file:///etc"})


def test_only_a_blast_on_this_machine_is_asked_often() -> None:
    elsewhere = read_options({"FATHOM_BASE_BLAST": "https://blast.example.org"})
    assert (elsewhere.poll_seconds, elsewhere.least_wait_seconds) == (60.0, 10.0)
    assert elsewhere.rate("blast") == 0.1
    here = read_options({"FATHOM_BASE_BLAST": "http://127.0.0.1:8000/blast"})
    assert (here.poll_seconds, here.least_wait_seconds, here.rate("blast")) == (1.0, 1.0, 2.0)
