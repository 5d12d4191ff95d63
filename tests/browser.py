"""Pages in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from itertools import islice

import pytest

from microcolumn import report
from microcolumn.report import _pictures

CHROMIUM = shutil.which("chromium")
LAPTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
#: A4 between margins of a centimetre.
PAPER = {"width": 718, "height": 1047}


def write_page(results, path, n_figures=3):
    """Write a page with the quick ones of the figures alone, which are the first."""
    draw_all = _pictures.draw_all
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pictures, "draw_all", lambda found, **_: islice(draw_all(found), n_figures))
        report.write(results, path, progress=False)
    return path


@contextmanager
def launched():
    """A headless browser; tests are skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine; install Debian's package chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Visit:
    """A page that was opened, and everything that it did besides showing itself."""

    def __init__(self, context, file, ready=True):
        self.page = context.new_page()
        self.errors, self.requests, self.dialogs = [], [], []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._noted)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog), dialog.dismiss()))
        self.address = file.as_uri()
        self.page.goto(self.address)
        if ready:
            self.page.wait_for_selector("html[data-explorers=ready]", state="attached")

    def _noted(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def unfold(self):
        """Open everything that is folded away."""
        self.page.evaluate("for (const each of all('details')) each.open = true")
        self.settle()

    def text(self, name):
        """Text of a part of the explorers."""
        return self.page.locator(f"#explorer-{name}").inner_text()

    def canvas(self, name):
        """The canvas of a map or the raster."""
        here = self.page.locator(f"#explorer-{name}")
        return here if name == "raster" else here.locator("canvas")

    def plot(self, name):
        """Where the cells of a canvas are."""
        return self.canvas(name).evaluate("(canvas) => canvas.box")

    def point_at(self, name, row, column):
        """Move the mouse to the middle of a cell that is in view."""
        box = self.plot(name)
        x = box["left"] + (column + 0.5 - box["first"]) * box["cellWidth"]
        y = box["top"] + (row + 0.5) * box["cellHeight"]
        self.canvas(name).hover(position={"x": x, "y": y})

    def pixel(self, name, x, y):
        """Colour of a canvas at a place in CSS pixels."""
        return self.canvas(name).evaluate(
            """(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(
              Math.round(x * devicePixelRatio), Math.round(y * devicePixelRatio), 1, 1).data]""",
            [x, y],
        )[:3]

    def settle(self):
        """Wait until all is drawn anew after a change of the window."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def wait_until(self, condition):
        """Wait for a condition in JavaScript.

        Playwright's `wait_for_function` evaluates a string inside the page again and again, which
        the page's content security policy forbids.
        """
        self.page.evaluate(
            f"""new Promise((done, failed) => {{
              const end = performance.now() + 10000;
              (function look() {{
                if ({condition}) done();
                else if (performance.now() > end) failed(new Error('never came true'));
                else setTimeout(look, 10);
              }}());
            }})"""
        )

    def colours(self, selector):
        """Colours of the text and of what lies behind it, as [red, green, blue]."""
        return self.page.locator(selector).first.evaluate(
            """(element) => {
              const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
              let behind = element;
              while (numbers(getComputedStyle(behind).backgroundColor)[3] === 0) {
                behind = behind.parentElement;
              }
              const both = [getComputedStyle(element).color,
                getComputedStyle(behind).backgroundColor];
              return both.map((text) => numbers(text).slice(0, 3));
            }"""
        )

    def check_quiet(self):
        """No error, no dialog, and nothing was asked for but the file itself."""
        assert self.errors == []
        assert self.dialogs == []
        assert self.requests == [self.address]


@contextmanager
def visiting(browser, file, *, ready=True, **options):
    """Open a page in a window of its own, and check afterwards that it kept quiet."""
    with browser.new_context(**({"viewport": LAPTOP} | options)) as context:
        visit = Visit(context, file, ready)
        yield visit
        visit.check_quiet()


#: JavaScript: colour that an element is filled with, in any notation, as [red, green, blue].
FILL = """(element) => {
  const context = document.createElement('canvas').getContext('2d');
  context.fillStyle = getComputedStyle(element).fill;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def contrast(first, second):
    """Contrast of two colours by WCAG 2.2: 1 for equal ones, 21 for black on white."""

    def luminance(colour):
        shares = [value / 255 for value in colour]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def view_of(visit):
    """First bin in view of the raster, not always whole, and number of bins."""
    box = visit.plot("raster")
    return box["first"], box["width"] / box["cellWidth"]
