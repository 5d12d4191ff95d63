"""The page: how large it is, how long it takes to write, and how soon it opens.

    python benchmarks/page.py               # 500 units, 200 hidden units, 7 penalties, 3 models
    python benchmarks/page.py --units 23 --hidden 25
    python benchmarks/page.py --no-figures  # explorers alone

The study is planted: random sparse models of a minute of simulated spikes, which is the most that
a page must hold. Opening is timed in headless Chromium by the page's own clock, from the start of
the navigation to the moment when both explorers are drawn, in a fresh window each time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from machine import print_machine

from microcolumn import report
from microcolumn.report import _html
from microcolumn.report._explorer import explorers

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import large_study
from browser import CHROMIUM, Visit, launched

#: Windows that are opened; the first one warms the browser and does not count.
N_OPENED = 6
#: Notes when the explorers are ready, in milliseconds since the navigation started.
_WATCH = """new MutationObserver(() => {
  if (document.documentElement?.dataset.explorers) window.readyAt ??= performance.now();
}).observe(document, { subtree: true, childList: true, attributeFilter: ['data-explorers'] });"""


def opening_times(file: Path) -> tuple[str, list[float]]:
    """Version of the browser, and seconds until the page is ready."""
    with launched() as browser:
        times = []
        for _ in range(N_OPENED):
            with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
                context.add_init_script(_WATCH)
                visit = Visit(context, file)
                times.append(visit.page.evaluate("window.readyAt") / 1e3)
                visit.check_quiet()
        return browser.version, times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=500)
    parser.add_argument("--hidden", type=int, default=200)
    parser.add_argument("--no-figures", action="store_true", help="leave out all figures")
    options = parser.parse_args()
    print_machine()
    if options.no_figures:
        _html.pictures = lambda results, max_bytes, progress: {}
    with tempfile.TemporaryDirectory() as folder:
        plan = large_study.plan_of(large_study.recording(options.units), options.hidden)
        results = large_study.write(Path(folder) / "study.db", plan)
        data = len(json.dumps(explorers(results), separators=(",", ":")))
        file, started = Path(folder) / "study.html", time.perf_counter()
        report.write(results, file)
        seconds = time.perf_counter() - started
        print(f"{options.units} units, {options.hidden} hidden units, 7 penalties, 3 models")
        print(
            f"page of {file.stat().st_size / 1e6:.2f} MB, of which explorers {data / 1e6:.2f} MB; "
            f"written in {seconds:.1f} s"
        )
        if CHROMIUM is None:
            print("no chromium on this machine: opening is not timed")
            return
        version, times = opening_times(file)
        print(
            f"opens in {statistics.median(times):.2f} s, median of {len(times)} "
            f"({min(times):.2f} to {max(times):.2f}), Chromium {version}"
        )


if __name__ == "__main__":
    main()
