"""Files behind a URL, of which only the parts that are needed are fetched."""

from __future__ import annotations

import os
import re
import threading
import time
from concurrent.futures import Future
from functools import cached_property, partial
from http.client import responses
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import BadFile, in_file
from .failures import as_bad_file

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
#: Where an answer states how many bytes a file has; more than 15 digits are impossible.
_SIZE = re.compile(r"bytes 0-[0-9]+/([0-9]{1,15})")
#: Seconds that a server may take for an answer, and bytes that tell which format a file has.
_SECONDS, _HEAD = 20.0, 1 << 20
#: Bytes of a file that limits depend on, however many its server claims.
_COUNTED = 1 << 28


def is_url(place: object) -> bool:
    """Whether a place is a URL, of whatever kind, and no path.

    >>> is_url("https://example.org/session.nwb"), is_url("session.nwb")
    (True, False)
    """
    if not isinstance(place, str) or _SCHEME.match(place) is None:
        return False
    try:
        urlsplit(place)
    except ValueError as error:
        with in_file(place):
            raise BadFile(f"it is no address of the web ({error})", "correct it") from None
    return True


class Remote:
    """A file behind a URL: a file for h5py, and what readers use of a path.

    Made by :func:`found`; the first bytes are there, and others are fetched when they are read.
    """

    def __init__(self, url: str, size: int, head: bytes) -> None:
        self.url, self.size, self._head = url, size, head
        self.name = unquote(PurePosixPath(urlsplit(url).path).name) or urlsplit(url).netloc
        self.suffix = PurePosixPath(self.name).suffix

    def __reduce__(self) -> tuple[Any, ...]:
        return Remote, (self.url, self.size, self._head)

    def __repr__(self) -> str:  # by which HDF5 calls the file
        return f"<remote {self.name!a}>"

    def __str__(self) -> str:
        return self.url

    def resolve(self) -> Path:
        """The name by which HDF5 calls the file, as a path."""
        return Path(repr(self)).resolve()

    def absolute(self) -> Remote:
        return self

    def is_file(self) -> bool:
        return True

    def is_dir(self) -> bool:
        return False

    def stat(self) -> os.stat_result:
        """The size of the file, as that of an ordinary one, as far as limits depend on it."""
        return os.stat_result((0o100444, 0, 0, 1, 0, 0, min(self.size, _COUNTED), 0, 0, 0))

    def open(self, mode: str = "rb") -> BytesIO:
        """The first bytes of the file."""
        return BytesIO(self._head)

    def read(self, size: int) -> Any:
        try:
            return self._opened.read(size)
        except (_AnswerError, Exception) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            problem = f"its server stopped sending it ({reason:.100})"
            raise BadFile(problem, "try again later, or download the file") from None

    def seek(self, offset: int, whence: int = 0) -> int:
        self._opened.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self._opened.tell())

    def flush(self) -> None:
        """Nothing, since nothing is written."""

    @cached_property
    def _opened(self) -> Any:
        import remfile

        file = remfile.File(self.url, _size=self.size)  # else it waits without end
        file.session = _with_time_limit(file.session)
        return file


def open_remote(url: str) -> Remote:
    """The file behind a URL, once its server has sent its first bytes."""
    if not url.lower().startswith(("http://", "https://")):
        raise BadFile("it is no address of the web", "give one that begins with https://")
    with as_bad_file("from a URL", "stream"):
        import remfile  # noqa: F401 - for reading later
    answer: Future[tuple[Any, bytes]] = Future()
    # A server that sends a byte now and then would never reach the time limit of a socket.
    threading.Thread(target=_ask, args=(url, answer), daemon=True).start()
    try:
        response, head = answer.result(_SECONDS)
    except TimeoutError:
        problem = f"{url}: its server does not answer within {_SECONDS:g} s"
        raise OSError(f"{problem}; try again later, or download the file") from None
    except Exception as error:  # of the address, the network or the server
        words = str(getattr(next(iter(error.args), None), "reason", error)).split()
        problem = f"{url} cannot be reached ({' '.join(words):.200})"
        raise OSError(f"{problem}; check the address and the network") from None
    if not response.ok:
        answer_is = f"{response.status_code} {responses.get(response.status_code, 'an error')}"
        remedy = "check the address, and whether it is public"
        raise OSError(f"{url}: its server answers {answer_is}; {remedy}")
    size = _SIZE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code != 206 or size is None:
        raise BadFile("its server does not send parts of a file", "download it first")
    return Remote(response.url, int(size[1]), head)


def _ask(url: str, answer: Future[tuple[Any, bytes]]) -> None:
    """Set what a server answers, and the first bytes of its file."""
    import requests

    deadline = time.monotonic() + _SECONDS
    headers = {"Range": f"bytes=0-{_HEAD - 1}", "Accept-Encoding": "identity"}
    # What a server sends with the place of a file stays unread: it may have no end.
    hooks = {"response": lambda found, **_: found.close() if found.is_redirect else None}
    ask = partial(requests.get, headers=headers, hooks=hooks, stream=True, timeout=_SECONDS)
    try:
        with ask(url) as response:
            head = b""
            for part in response.iter_content(1 << 12) if response.status_code == 206 else ():
                head += part
                if len(head) >= _HEAD:
                    break
                if time.monotonic() > deadline:  # nobody waits any more
                    raise requests.Timeout
            answer.set_result((response, head))
    except requests.Timeout:
        answer.set_exception(TimeoutError())
    except Exception as error:  # raised where the answer is waited for
        answer.set_exception(error)


class _AnswerError(BaseException):
    """No answer, or not what was asked; no `Exception`, after which remfile would try again."""


def _with_time_limit(session: Any) -> Any:
    """A session of requests that gives up a server without an answer or with other bytes."""
    from requests import Timeout

    ask = partial(session.request, timeout=_SECONDS)

    def request(*arguments: Any, headers: dict[str, str], **options: Any) -> Any:
        try:
            answer = ask(*arguments, headers=headers, **options)
        except Timeout:
            raise _AnswerError(f"no answer within {_SECONDS:g} s") from None
        first, last = map(int, re.findall("[0-9]+", headers["Range"]))
        if answer.ok and len(answer.content) != last - first + 1:
            raise _AnswerError("it has fewer or more bytes than its server claimed")
        return answer

    session.request = request
    return session
