"""Reasons to doubt the results of a study, each with what removes it: "doubt; remedy"."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..evaluate import SplitScore, WindowResult
from ..evaluate.choice import is_at_end
from ..evaluate.paired import Cells
from ..figures.conditions import by_likelihood, compares_groups
from ..models import ModelSpec
from ..study import Condition, Experiment, Results
from ..units import several_probes
from ._notices import whole_study
from ._wording import text

#: Below this p the two halves of a recording differ.
_CHANGED = 0.01
#: A bin width this many times wider or narrower than the data suggest is doubted.
_FAR_OFF = 1.5


class _Test(NamedTuple):
    """A model on the test part of one split, and the penalties that were tried, increasing."""

    window: int
    spec: ModelSpec
    score: SplitScore
    grid: Sequence[float]

    def chose(self, end: int) -> bool:
        """Whether the penalty is at an end of the grid, beyond which a better one may lie."""
        l1, grid = self.score.l1, self.grid
        return bool(grid) and l1 == grid[end] and is_at_end(l1, grid, self.score.n_nonzero)

    def lost_hidden_units(self, *, coupled: bool) -> bool:
        """Whether the penalty made it a simpler model, with couplings or without."""
        lost = bool(self.score.n_hidden) and not self.score.n_live_hidden
        return lost and bool(self.score.n_couplings) == coupled


#: Doubts about the tests of a model, by what `templates/cautions.txt` calls them, each with the
#: share of the tests that must be exceeded.
_DOUBTS: dict[str, tuple[Callable[[_Test], bool], float]] = {
    "fit": (lambda test: not test.score.fit_converged, 0.0),
    "log Z": (lambda test: not test.score.normaliser_converged, 0.0),
    "spurious mode": (lambda test: test.score.has_spurious_mode, 0.0),
    "an Ising model": (lambda test: test.lost_hidden_units(coupled=True), 0.0),
    "a model of independent units": (lambda test: test.lost_hidden_units(coupled=False), 0.0),
    "smallest": (lambda test: test.chose(0), 0.5),
    "largest": (lambda test: test.chose(-1), 0.5),
}


def cautions(results: Results) -> list[str]:
    """Sentences about results that are missing, doubtful, false, at the end of a grid, or mixed.

    Each ends with the command or the setting that removes the doubt.
    """
    lines = [*_of_the_run(results), *_of_units(results), *_of_flow(results)]
    conditions = dict.fromkeys((each.recording, each.experiment) for each in results.tested())
    for recording, experiment in conditions:
        condition = f"{recording}, {experiment.name}"
        if experiment.split_by == "words" and max(experiment.windows) > 1:
            # Neighbouring windows share bins (docs/method.md, section 6).
            lines.append(f"{condition}: {_caution('windows')}")
        lines += [f"{condition}: {what}" for what in _of_bins(results, recording, experiment)]
        lines += [f"{condition}: {what}" for what in _of_change(results, recording, experiment)]
        found = results.by_window(recording, experiment=experiment.name)
        alike: dict[str, list[str]] = {}
        for name in found.models:
            for what in _of_tests(results, experiment, _tests(results, found, experiment, name)):
                alike.setdefault(what, []).append(name)
        lines += [f"{condition}, {', '.join(names)}: {what}" for what, names in alike.items()]
    return lines


def _caution(kind: str, some: Sequence[_Test] = (), tests: Sequence[_Test] = (), **of: Any) -> str:
    return text("cautions", kind=kind, some=some, tests=tests, **of)


def _of_the_run(results: Results) -> Iterator[str]:
    made = results.provenance()
    unread = [s.name for s in results.plan.sources if s.name not in results.recordings]
    if unread:
        yield _caution("unread", names=unread)
    doubts = {
        "unfinished": made["n_done"] < made["n_planned"],
        "failures": made["failures"],
        "environments": len(made["environments"]) > 1,
    }
    yield from (_caution(kind, **made) for kind, is_doubtful in doubts.items() if is_doubtful)


def _of_units(results: Results) -> Iterator[str]:
    """Recordings whose units are of several probes, silent, mixed or sorted twice."""
    for name, row in results.recordings.items():
        spans = several_probes([unit.get("probe", "") for unit in row["units"]])
        for doubt in [spans] * bool(spans) + row["survey"].get("suspects", []):
            yield f"{name}: {doubt}"


def _of_flow(results: Results) -> Iterator[str]:
    """Experiments that compare models with and without hidden units by flow alone.

    Flow is biased where no model is right, which favours the richer one (docs/method.md,
    section 10).
    """
    tested = {condition.experiment for condition in results.tested()}
    leading = {by_likelihood(results, c).experiment for c in results.tested()}
    for leads in (False, True):
        some = [each for each in results.plan.experiments if (each in leading) == leads]
        names = [e.name for e in some if e in tested and compares_groups(e, "mpf")]
        if names:
            yield _caution("flow", names=names, leads=leads)


def _of_bins(results: Results, recording: str, experiment: Experiment) -> Iterator[str]:
    """Bins, or whole words of several, of another width than the correlograms have."""
    data = results.if_computed(results.data, None, recording=recording, experiment=experiment.name)
    if data is None:
        return
    found = data.suggestion
    width, suggested = experiment.bin_width, found.width_s
    longest = width * max(experiment.windows)
    is_near = width <= _FAR_OFF * suggested and suggested <= _FAR_OFF * longest
    if not (is_near or math.isnan(found.peak_width_s)):
        what = "bins" if len(experiment.windows) == 1 and longest == width else "words"
        span_s = width if what == "bins" or width > suggested else longest
        yield _caution("bin width", what=what, span_s=span_s, found=found)


def _of_change(results: Results, recording: str, experiment: Experiment) -> Iterator[str]:
    """Scores of the best model that differ between the halves of the recording beyond errors."""
    where = Condition(recording, experiment, min(experiment.windows)).names
    compared = results.if_computed(results.comparison, None, **where)
    if compared is None or not compared.models:
        return
    best = compared.best
    first, second, p = Cells.of(best.splits).halves()
    if p < _CHANGED:
        yield _caution("change", model=best.name, first=first, second=second, p=p)


def _tests(results: Results, found: WindowResult, experiment: Experiment, name: str) -> list[_Test]:
    tests = []
    for window, model in zip(found.windows, found.models[name], strict=True):
        if model is None:
            continue
        for score in model.splits:
            where = Condition(found.recording, experiment, window).names
            grid = list(results.normalisers(model=model.spec, split=score.split, **where))
            planned = () if isinstance(experiment.l1, str) else experiment.l1
            tests.append(_Test(window, model.spec, score, grid or planned))
    return tests


def _of_tests(results: Results, experiment: Experiment, tests: list[_Test]) -> Iterator[str]:
    """Doubts about a model; a quick look fits roughly, and the whole study does better."""
    whole = "" if results.plan.full is None else whole_study(results)
    for kind, (is_doubtful, share) in _DOUBTS.items():
        some = [test for test in tests if is_doubtful(test)]
        if len(some) > share * len(tests):
            yield _caution(kind, some, tests, whole=whole, max_steps=experiment.max_steps)
