"""A server of this machine that sends a file, and lies about it in one way or another."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

#: Sizes that a file may claim, beside its own.
_SIZES = (
    "0",
    "1",
    "-1",
    "*",
    "",
    "x",
    "7" * 30,
    "9" * 5000,
    *(str(2**n - 1) for n in (31, 49, 63)),
)
#: Zeros that follow a file that claims to be larger, at most.
_PADDING = 1 << 22


class HostileServer:
    """Serves one file at a time; a thread of its own answers."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, content: bytes, mutate: Callable[..., bytes], rng: np.random.Generator) -> str:
        """Where the content is found from now on, with what is said of it drawn by ``rng``."""
        _Answers.content, _Answers.n_answers = content, 0
        _Answers.size = str(len(content))
        _Answers.lie = str(rng.choice(("none", "size", "span", "shift", "status", "body", "loop")))
        if _Answers.lie == "size":
            _Answers.size = str(rng.choice((*_SIZES, str(len(content) + 10**4))))
        _Answers.mutate = staticmethod(lambda text: mutate(text, rng))
        _Answers.number = int(rng.integers(1, 700))
        return f"http://127.0.0.1:{self._server.server_port}/{rng.integers(1 << 30)}.nwb"


class _Answers(BaseHTTPRequestHandler):
    content: bytes
    size: str
    lie: str
    number: int
    n_answers: int
    mutate: Callable[[bytes], bytes]

    def do_GET(self) -> None:  # the name is the library's
        first, last = self._asked()
        is_first = _Answers.n_answers == 0
        _Answers.n_answers += 1
        part = self.content[first : last + 1]
        if self.size.isdecimal() and len(self.size) < 16:
            missing = min(last + 1, int(self.size)) - max(first, len(self.content))
            part += bytes(min(max(missing, 0), _PADDING))
        if self.lie == "shift":
            part = part[-self.number :] + part[: -self.number]
        span = f"bytes {first}-{first + len(part) - 1}/{self.size}".encode()
        if self.lie == "span":
            span = self.mutate(span)
        headers = {"Content-Range": re.sub(r"[\r\n]", "", span.decode("latin-1"))}
        if self.lie == "loop":
            headers["Location"] = self.path
        if self.lie == "body" and is_first:
            part = self.mutate(part)
        self._answer(self._status(is_first, bool(part)), headers, part)

    def _asked(self) -> tuple[int, int]:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or "")
        return (0, len(self.content) - 1) if found is None else (int(found[1]), int(found[2]))

    def _status(self, is_first: bool, is_there: bool) -> int:
        if self.lie == "loop":
            return 302
        if self.lie == "status" and is_first:
            return 200 + self.number % 400
        return 206 if is_there else 416

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        with suppress(ConnectionError):  # whoever asked may have seen enough
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
