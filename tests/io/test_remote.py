"""NWB files behind a URL, from a server of this machine."""

import json
import re
import sys
import threading
import time
import warnings
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h5py
import numpy as np
import pytest
import written
from refusals import assert_refused
from typer.testing import CliRunner

import microcolumn as mc
from microcolumn.cli import app
from microcolumn.io import _remote
from microcolumn.io.failures import check_claim, largest_content, size_on_disk

pytest.importorskip("remfile")


class Server(BaseHTTPRequestHandler):
    """Sends parts of files; by the first part of the path, it does something else."""

    files: dict
    sent = flooded = 0

    def do_GET(self):
        _, kind, name = self.path.partition("?")[0].split("/", 2)
        if kind == "hangs" or (kind == "stops" and "bytes=0-" not in self.headers["Range"]):
            time.sleep(3)
        elif kind in ("drips", "dawdles"):
            self.send_slowly(drips=kind == "drips")
        elif kind.isdecimal():  # claims that its file has so many bytes
            claim = {"Content-Range": f"bytes 0-99/{kind}"}
            self.answer(206, self.files[name][:100], **claim)
        elif kind == "floods":
            self.flood(Location=f"/files/{name}")
        elif kind == "moved":
            self.answer(302, b"", Location=f"/files/{name}")
        elif kind == "elsewhere":
            self.answer(302, b"", Location="file:///etc/passwd")
        elif kind == "whole":
            self.answer(200, self.files[name])
        elif kind not in ("files", "stops") or name not in self.files:
            self.answer(404, b"")
        else:
            self.part(self.files[name])

    def flood(self, **headers):
        """An answer without an end, of which at most a gigabyte is sent."""
        self.answer(302, b"", **headers, **{"Content-Length": str(10**12)})
        with suppress(ConnectionError):
            for _ in range(1 << 10):
                self.wfile.write(bytes(1 << 20))
                Server.flooded += 1 << 20

    def send_slowly(self, drips):
        """A byte now and then, or a line of the header."""
        self.send_response(206)
        if drips:
            self.send_header("Content-Range", "bytes 0-99/100")
            self.end_headers()
        self.flush_headers()
        with suppress(ConnectionError):
            for n in range(20):
                time.sleep(0.15)
                self.wfile.write(b"a" if drips else b"X-%d: a\r\n" % n)

    def part(self, content):
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"])
        first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
        span = f"bytes {first}-{last}/{len(content)}"
        Server.sent += last + 1 - first
        self.answer(206, content[first : last + 1], **{"Content-Range": span})

    def answer(self, status, content, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # whoever asked may have seen enough
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Address of a server with an NWB file that is mostly something else, an HDF5 file and text."""
    folder = tmp_path_factory.mktemp("served")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = written.write_nwb(written.small_recording(), folder / "a.nwb")
    with h5py.File(path, "r+") as file:  # PyNWB knows nothing of it
        file["raw"] = np.zeros(1 << 22, np.uint8)
    with h5py.File(folder / "a.h5", "w") as file:
        file["t"], file["k"] = [0.5, 1.5], [1, 2]
    (folder / "a.csv").write_text("unit,time\n1,0.5\n")
    Server.files = {file.name: file.read_bytes() for file in folder.iterdir()}
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    httpd.daemon_threads = True
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}", path
    httpd.shutdown()
    httpd.server_close()


@pytest.mark.parametrize("place", ["files/a.nwb", "moved/a.nwb?version=2"])
def test_a_recording_behind_a_url_is_that_of_the_file_and_little_is_fetched(place, server):
    address, path = server
    Server.sent = 0
    recording = mc.read(f"{address}/{place}", depth_reference="surface")
    assert Server.sent < path.stat().st_size / 2
    local = mc.read(path, depth_reference="surface")
    np.testing.assert_array_equal(recording.spike_times, local.spike_times)
    assert recording.units.layer == local.units.layer
    assert recording.source == local.source == "NWB, a.nwb"


@pytest.mark.parametrize(
    ("place", "kind", "sentence"),
    [
        ("files/b.nwb", OSError, "its server answers 404 Not Found; check the address"),
        ("whole/a.nwb", ValueError, "does not send parts of a file; download it"),
        ("files/a.csv", ValueError, "only HDF5 files are read from a URL; download"),
        ("elsewhere/x", OSError, "its server answers 302 Found|cannot be reached"),
        ("hangs/a.nwb", OSError, r"does not answer within 0\.5 s; try again later"),
        ("drips/a.nwb", OSError, r"does not answer within 0\.5 s; try again later"),
        ("dawdles/a.nwb", OSError, r"does not answer within 0\.5 s; try again later"),
        (f"{10**30}/a.nwb", ValueError, "does not send parts of a file; download it"),
        (f"{'9' * 5000}/a.nwb", ValueError, "does not send parts of a file; download it"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_what_cannot_be_read_from_a_url_is_one_sentence(place, kind, sentence, server, monkeypatch):
    monkeypatch.setattr(_remote, "_SECONDS", 0.5 if "0\\.5 s" in sentence else 20.0)
    with pytest.raises(kind, match=sentence) as caught:
        mc.read(f"{server[0]}/{place}")
    assert str(caught.value).startswith(f"{server[0]}/{place}")
    assert "\n" not in str(caught.value)


def test_what_a_server_claims_relaxes_no_limit(server):
    claimed = _remote.open_remote(f"{server[0]}/{10**15 - 1}/a.nwb")
    assert claimed.size == 10**15 - 1
    assert size_on_disk(claimed) == 1 << 28
    assert largest_content(claimed) == 1 << 32
    small = _remote.open_remote(f"{server[0]}/1000/a.nwb")
    assert largest_content(small) < 1 << 21
    with pytest.raises(ValueError, match="x has 4,294,967,297 bytes, too many for a URL"):
        check_claim(claimed, (1 << 32) + 1, "x")


def test_no_network_no_library_and_other_schemes_are_one_sentence(monkeypatch):
    with pytest.raises(OSError, match=r"http://127\.0\.0\.1:9/a.nwb cannot be reached \(.*refused"):
        mc.read("http://127.0.0.1:9/a.nwb")
    for url in ("file:///etc/passwd", "s3://bucket/a.nwb"):
        assert_refused(url, r"is no address of the web; give one that begins")
    monkeypatch.setitem(sys.modules, "remfile", None)
    with pytest.raises(ImportError, match=r"needs remfile; .* pip install 'microcolumn\[stream\]'"):
        mc.read("https://example.org/a.nwb")


def test_what_a_server_sends_when_it_names_another_place_is_not_fetched(server):
    Server.flooded = 0
    assert mc.read(f"{server[0]}/floods/a.nwb", depth_reference="surface").n_units == 5
    assert Server.flooded < 1 << 28


def test_a_server_that_stops_is_given_up(server, monkeypatch):
    monkeypatch.setattr(_remote, "_SECONDS", 0.5)
    remote = _remote.open_remote(f"{server[0]}/stops/a.nwb")
    remote.seek(1 << 21)
    with pytest.raises(
        ValueError, match=r"its server stopped sending it \(no answer within 0.5 s\)"
    ):
        remote.read(100)


def test_a_server_that_claims_more_than_it_has_is_given_up_at_once(server):
    url = f"{server[0]}/files/a.h5"
    with pytest.raises(ValueError, match=r"\(it has fewer or more bytes than its server claimed\)"):
        _remote.Remote(url, 10**6, b"").read(10)


def test_commands_and_plans_take_urls(server):
    url = f"{server[0]}/files/a.nwb"
    told = json.loads(CliRunner().invoke(app, ["info", url, "--json"]).stdout)
    assert told["n_units"] == 5
    plan = mc.study.Plan.of([f"{url}?v=2"], read={"depth_reference": "surface"})
    (source,) = plan.sources
    assert (source.name, source.file) == ("a", f"{url}?v=2")
    assert mc.study.Source.from_dict("a", source.as_dict()).load().n_units == 5
