"""Make the README's pictures from a store: ``python docs/pictures.py microcolumn-demo/demo.db``.

The store is that of ``microcolumn demo``; the page is photographed in Debian's Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import microcolumn as mc

DOCS = Path(__file__).parent


def main(store: str) -> None:
    """Draw what was planted and found, and photograph the opening and the raster of the page."""
    results = mc.study.open(store)
    mc.figures.planted(results).savefig(DOCS / "planted.png", dpi=200)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "page.html"
        mc.report.write(results, page)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        view = browser.new_page(viewport={"width": 1280, "height": 1000})
        view.goto(page.as_uri())
        view.wait_for_selector("html[data-explorers=ready]")
        view.screenshot(path=DOCS / "answer.png")
        explorer = view.locator("#explorer-assemblies")
        explorer.get_by_role("checkbox").nth(1).check()  # the second hidden unit beside the first
        explorer.screenshot(path=DOCS / "raster.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
