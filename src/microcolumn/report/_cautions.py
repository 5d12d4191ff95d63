"""Reasons to doubt the results of a study, each with what removes it: "doubt; remedy"."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import chain

from ..evaluate import SplitScore
from ..evaluate._choice import is_at_end
from ..figures._conditions import by_likelihood
from ..formatting import enumeration, scientific
from ..models import ModelSpec
from ..study import Condition, Experiment, NotComputedError, Results
from ..units import several_probes
from ._notices import whole_study

#: A bin width this many times wider or narrower than the data suggest is doubted.
_FAR_OFF = 1.5


def cautions(results: Results) -> list[str]:
    """Sentences about results that are missing, doubtful, false, at the end of a grid, or mixed.

    Each ends with the command or the setting that removes the doubt.
    """
    lines = [*_of_the_run(results), *_of_units(results), *_of_flow(results)]
    whole = "" if results.plan.whole is None else whole_study(results)
    conditions = dict.fromkeys(
        (condition.recording, condition.experiment) for condition in results.tested()
    )
    for recording, experiment in conditions:
        found = results.by_window(recording, experiment=experiment.name)
        alike: dict[str, list[str]] = {}
        for name, models in found.models.items():
            by_window = [(window, m) for window, m in zip(found.windows, models, strict=True) if m]
            specs = {m.spec for _, m in by_window}
            tested = [(window, score) for window, m in by_window for score in m.splits]
            grids = [
                _grid(results, Condition(recording, experiment, window), m.spec, score.split)
                for window, m in by_window
                for score in m.splits
            ]
            doubts = (
                _not_converged(tested, experiment, specs, whole),
                _false_modes(tested, specs),
                _without_hidden_units(
                    [(window, m.spec, s) for window, m in by_window for s in m.splits]
                ),
                _at_the_edge(tested, grids, whole),
            )
            for what in chain(*doubts):
                alike.setdefault(what, []).append(name)
        condition = f"{results.label(recording)}, {experiment.name}"
        if experiment.split_by == "words" and max(experiment.windows) > 1:
            # Neighbouring windows share bins (docs/method.md, section 6).
            lines.append(
                f"{condition}: windows were split one by one, so that training and test parts "
                'share bins and scores beyond T = 1 may be too good; set split_by = "blocks"'
            )
        lines += [f"{condition}: {what}" for what in _bin_width(results, recording, experiment)]
        lines += [f"{condition}, {', '.join(names)}: {what}" for what, names in alike.items()]
    return lines


def _of_the_run(results: Results) -> list[str]:
    made = results.provenance()
    lines = []
    unread = [s.name for s in results.plan.sources if s.name not in results.recordings]
    if unread:
        lines.append(f"not read yet: {', '.join(unread)}; run the study further")
    if made["n_done"] < made["n_planned"]:
        left = made["n_planned"] - made["n_done"]
        lines.append(f"{left:,} of {made['n_planned']:,} jobs are not done; run the study further")
    if made["failures"]:
        first = made["failures"][0]
        lines.append(
            f"{len(made['failures'])} jobs failed, first {first['job']}: {first['error']}; run the "
            "study again to retry them"
        )
    if len(made["environments"]) > 1:
        names = dict.fromkeys(name for versions in made["environments"] for name in versions)
        differ = [name for name in names if len({v.get(name) for v in made["environments"]}) > 1]
        lines.append(
            f"results come from {len(made['environments'])} environments, which differ in "
            f"{', '.join(differ)}, on which the last digits may depend; run the study anew with "
            "one of them"
        )
    return lines


def _of_units(results: Results) -> list[str]:
    """Recordings whose units are of several probes, silent, mixed or sorted twice."""
    lines = []
    for name, row in results.recordings.items():
        spans = several_probes([unit.get("probe", "") for unit in row["units"]])
        doubts = [spans] * bool(spans) + row["survey"].get("suspects", [])
        lines += [f"{results.label(name)}: {doubt}" for doubt in doubts]
    return lines


def _of_flow(results: Results) -> list[str]:
    """Experiments that compare models with and without hidden units by flow alone.

    Flow is biased where no model is right, which favours the richer one (docs/method.md,
    section 10).
    """
    tested = {condition.experiment for condition in results.tested()}
    doubted = [
        experiment
        for experiment in results.plan.experiments
        if experiment in tested
        and experiment.objectives == ("mpf",)
        and "Ising" in experiment.models
        and {"RBM", "SemiRBM"} & {*experiment.models}
    ]
    leading = {by_likelihood(results, c).experiment for c in results.tested()}
    remedies = {
        "the answer rests on fits of the same words by likelihood": [
            each for each in doubted if each not in leading
        ],
        'set objectives = "likelihood" (--objective likelihood)': [
            each for each in doubted if each in leading
        ],
    }
    return [
        f"{enumeration([each.name for each in some])}: models were fitted by minimum probability "
        "flow, which is biased where no model is right and, on recordings tried so far, favours "
        f"hidden units over pairs; {remedy}"
        for remedy, some in remedies.items()
        if some
    ]


def _bin_width(results: Results, recording: str, experiment: Experiment) -> list[str]:
    """Bins, or whole words of several, of another width than the correlograms have."""
    try:
        found = results.data(recording, experiment=experiment.name).suggestion
    except NotComputedError:
        return []
    if math.isnan(found.peak_width_s):
        return []
    width, suggested = experiment.bin_width, found.width_s
    longest = width * max(experiment.windows)
    if width <= _FAR_OFF * suggested and suggested <= _FAR_OFF * longest:
        return []
    what = "bins" if len(experiment.windows) == 1 and longest == width else "words"
    span = width if what == "bins" or width > suggested else longest
    return [
        f"{what} of {1e3 * span:g} ms were used, but the central peak of the cross-correlograms is "
        f"{1e3 * found.peak_width_s:.1f} ± {1e3 * found.peak_stderr_s:.1f} ms wide, which suggests "
        f"bins of {1e3 * suggested:g} ms; set bin_width = {suggested:g} (--bin-width {suggested:g})"
    ]


def _not_converged(
    tested: Sequence[tuple[int, SplitScore]],
    experiment: Experiment,
    specs: Collection[ModelSpec],
    whole: str,
) -> list[str]:
    """What has not converged; a quick look fits roughly, and ``whole`` says how to do better."""
    rival = any(spec.is_rival for spec in specs)
    penalised = f"its score may be too low; {whole}" if whole else ""
    remedies = {
        "fit": "fit it by itself with more iterations, or leave it out of models"
        if rival
        else penalised or "leave the smallest penalties out of l1",
        "normaliser": f"set max_steps above {experiment.max_steps:,}",
    }
    lines = []
    for what, remedy in remedies.items():
        doubtful = [window for window, score in tested if not getattr(score, f"{what}_converged")]
        if doubtful:
            named = "fit" if what == "fit" else "estimate of log Z"
            lines.append(f"the {named} has not converged {_count(doubtful, tested)}; {remedy}")
    return lines


def _false_modes(
    tested: Sequence[tuple[int, SplitScore]], specs: Collection[ModelSpec]
) -> list[str]:
    """Fits whose mass lies where no word does: they are of other data than these."""
    false = [window for window, score in tested if score.has_false_mode]
    if not false:
        return []
    share = max(score.false_mass or 0.0 for _, score in tested)
    by_likelihood = {spec.objective for spec in specs} == {"likelihood"}
    other = "" if by_likelihood else ', or set objectives = "likelihood" (--objective likelihood)'
    return [
        f"the fit has a false mode {_count(false, tested)}, with up to {share:.0%} of its mass on "
        f"words never seen, and is not ranked; add larger penalties to l1 (--l1){other}"
    ]


def _without_hidden_units(tested: Sequence[tuple[int, ModelSpec, SplitScore]]) -> list[str]:
    """Fits that the penalty made a simpler model, whose name does not say so."""
    empty = [
        (window, score)
        for window, spec, score in tested
        if spec.n_hidden and not score.n_live_hidden
    ]
    lines = []
    for left, coupled in (("an Ising model", True), ("a model of independent units", False)):
        some = [window for window, score in empty if bool(score.n_couplings) == coupled]
        if some:
            count = _count(some, [(window, score) for window, _, score in tested])
            lines.append(f"no hidden unit is live {count}, so that it is {left} there")
    return lines


def _grid(results: Results, condition: Condition, spec: ModelSpec, split: int) -> Sequence[float]:
    """Penalties that were tried in a split, increasing."""
    tried = list(results.normalisers(model=spec, split=split, **condition.names))
    planned = condition.experiment.l1
    return tried or (() if isinstance(planned, str) else planned)


def _at_the_edge(
    tested: Sequence[tuple[int, SplitScore]], grids: Sequence[Sequence[float]], whole: str
) -> list[str]:
    """The best penalty may lie beyond the grid if mostly its end is chosen.

    ``whole`` is how the whole study, whose grid is larger, is run; empty for a whole study.
    """
    lines = []
    ends = {"smallest": (0, 0.5), "largest": (-1, 2.0)}
    for name, (end, factor) in ends.items():
        at_edge = [
            (window, score.l1)
            for (window, score), grid in zip(tested, grids, strict=True)
            if grid and score.l1 == grid[end] and is_at_end(score.l1, grid, score.n_nonzero)
        ]
        if len(at_edge) > 0.5 * len(tested):
            chosen = list(dict.fromkeys(l1 for _, l1 in at_edge))
            count = _count([window for window, _ in at_edge], tested)
            beyond = scientific(factor * (min if end == 0 else max)(chosen))
            extend = f'add {beyond} to l1 (--l1 {beyond}), or set l1 = "auto"'
            lines.append(
                f"the {name} penalty λ of the grid, {enumeration(list(map(scientific, chosen)))}, "
                f"was chosen {count}, so that a better one may lie beyond it; {whole or extend}"
            )
    return lines


def _count(some: Sequence[int], tested: Sequence[tuple[int, SplitScore]]) -> str:
    """How many of the fits, and for which windows if there are several."""
    window = dict.fromkeys(window for window, _ in tested)
    where = f" (T = {', '.join(map(str, dict.fromkeys(some)))})" if len(window) > 1 else ""
    return f"in {len(some)} of {len(tested)} tests{where}"
