"""``microcolumn`` and ``python -m microcolumn``: a command that Ctrl-C ends within two seconds."""

import os
import signal
import socket
import sys
import threading
import time
from typing import Any, NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: Seconds in which a command that was interrupted may tidy up.
_PATIENCE = 1.5


class Interrupted(KeyboardInterrupt):
    """A signal of this number; Python may die of a plain KeyboardInterrupt that was caught."""


def main() -> None:
    """Run the command line."""
    seen, sent = socket.socketpair()
    sent.setblocking(False)
    signal.set_wakeup_fd(sent.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_cut_short, args=(seen,), daemon=True).start()
    _handle(_interrupt)
    try:
        from .cli import app

        app(prog_name="microcolumn")
    except KeyboardInterrupt:  # before the first command
        sys.exit(128 + signal.SIGINT)
    finally:
        signal.set_wakeup_fd(-1)
        _handle(lambda number, _: os._exit(128 + number))


def _handle(handler: Any) -> None:
    """Do this when a signal comes, unless signals are ignored, as in what a shell has detached."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _interrupt(number: int, _: Any) -> NoReturn:
    """Raise once: further signals must not disturb the tidying up, nor errors in it be printed."""
    _handle(signal.SIG_IGN)
    # Where Python drops what is raised, as in a callback of a library, nobody else would end.
    sys.unraisablehook = lambda lost: _end(number) if lost.exc_type is Interrupted else None
    raise Interrupted(number)


def _end(number: int) -> NoReturn:
    os.write(2, b"microcolumn: interrupted\n")
    os._exit(128 + number)


def _cut_short(seen: socket.socket) -> None:
    """End the process some time after a signal, also within a library, where no handler runs."""
    while number := seen.recv(1):
        if number[0] in _SIGNALS:
            time.sleep(_PATIENCE)
            if signal.getsignal(number[0]) is _interrupt:  # which has not run
                _end(number[0])
            os._exit(128 + number[0])


if __name__ == "__main__":
    main()
