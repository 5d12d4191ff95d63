"""Digests change with what bears on a result and with nothing else; stages respect needs."""

import math
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from small_study import small_plan

from microcolumn.models import ModelSpec
from microcolumn.study._experiment import PAPER_MODELS
from microcolumn.study._jobs import (
    Job,
    RecordingInfo,
    chosen_l1,
    dependencies,
    digest,
    settings_of,
    specs_of,
    stages,
)
from microcolumn.study.plan import Experiment, Plan, Source

INFO = RecordingInfo("f0", 5)
ISING, RBM, SEMI = ModelSpec("Ising"), ModelSpec("RBM", 3), ModelSpec("SemiRBM", 3)
BASE = Experiment("instantaneous", n_splits=2, l1=(1e-3, 4e-3), n_hidden=3, models=PAPER_MODELS)


def digests(plan, info=INFO):
    """Digest of each job of a plan."""
    found = stages(plan, {source.name: info for source in plan.sources})
    return {job: name for stage in found for name, job in stage.items()}


def plan_of(*experiments, names=("A",)):
    sources = tuple(Source(name, preset="B4", seed=seed) for seed, name in enumerate(names))
    return Plan(sources, experiments)


def test_models_are_every_class_size_and_objective_with_ising_once_per_objective():
    experiment = replace(BASE, n_hidden=(3, "dims", 10), objectives=("likelihood", "mpf"))
    names = [spec.name for spec in specs_of(experiment, 10, 1)]
    assert names == [
        *("Ising", "RBM 3", "RBM 10", "SemiRBM 3", "SemiRBM 10"),
        *("Ising mpf", "RBM 3 mpf", "RBM 10 mpf", "SemiRBM 3 mpf", "SemiRBM 10 mpf"),
    ]


def test_beside_drives_semi_restricted_models_are_held_against_pairs_and_a_drive():
    names = [spec.name for spec in specs_of(Experiment("usual"), 10, 1)]
    assert names[:4] == ["Ising", "RBM", "SemiRBM", "SemiRBM 1"]
    for models in (("SemiRBM", "TwoTree"), ("RBM", "KPairwise")):
        names = [spec.name for spec in specs_of(replace(BASE, models=models), 10, 1)]
        assert "SemiRBM 1" not in names


def test_each_job_is_in_a_later_stage_than_all_that_it_needs():
    late = replace(BASE, name="late", windows=(1, 2), models=("SemiRBM",))
    plan = plan_of(BASE, late, replace(BASE, name="once", choose_once=True))
    planned = stages(plan, {"A": INFO})
    stage_of = {job: k for k, stage in enumerate(planned) for job in stage.values()}
    assert len(stage_of) == sum(map(len, planned))
    for job, stage in stage_of.items():
        experiment = next(each for each in plan.experiments if each.name == job.experiment)
        compared = specs_of(experiment, INFO.n_units, job.window or 1)
        for other in dependencies(job, compared, experiment):
            assert stage_of[other] < stage


def test_the_jobs_of_a_split_are_those_of_the_protocol():
    """3 fits, one test, and 3 predictions and structures per split; assemblies over all splits."""
    counts = Counter((job.kind, job.split) for job in digests(small_plan()))
    expected = {"fit": 3, "test": 1, "predict": 3, "structure": 3}
    once = {("describe", None): 1, ("patterns", 0): 1, ("anneal", 0): 1, ("assemblies", None): 2}
    assert counts == once | {(kind, k): n for kind, n in expected.items() for k in (0, 1)}


def test_models_that_are_only_started_from_are_fitted_and_nothing_else():
    jobs = digests(plan_of(replace(BASE, models=("SemiRBM",), n_splits=1)))
    fitted = {job.model for job in jobs if job.kind == "fit"}
    others = {job.model for job in jobs if job.kind != "fit"} - {None}
    assert (fitted, others) == ({ISING, RBM, SEMI}, {SEMI})


def test_a_job_needs_the_nested_fits_or_its_own_fit_or_all_fits():
    place = ("A", "instantaneous", 1, 1)
    compared = (ISING, RBM, SEMI)

    def needed(*what, **settings):
        return set(dependencies(Job(*what), compared, replace(BASE, **settings)))

    def fits(*used):
        return {Job("fit", *place, spec) for spec in used}

    assert needed("fit", *place, RBM) == set()
    assert needed("fit", *place, SEMI) == fits(ISING, RBM)
    first = {Job("fit", *place[:3], 0, SEMI)}
    assert needed("fit", *place, SEMI, choose_once=True) == fits(ISING, RBM) | first
    assert needed("fit", *place[:3], 0, RBM, choose_once=True) == set()
    assert needed("predict", *place, SEMI) == fits(SEMI)
    assert needed("structure", *place, RBM) == fits(RBM)
    assert needed("describe", "A", "instantaneous") == set()
    assert needed("assemblies", *place[:3], None, RBM) == {
        Job("fit", *place[:3], split, RBM) for split in (0, 1)
    }
    assert needed("test", *place) == needed("patterns", *place)
    assert needed("test", *place) == fits(*compared)


#: Settings that bear on the words, and so on every job, and on all but descriptions.
OF_WORDS = {"bin_width": 0.010, "most_active": 4, "max_words": 2000}
BEARING = {
    "l1": (1e-3, 8e-3),
    "split_by": "words",
    "train": 0.6,
    "validation": 0.3,
    "seed": 1,
    "n_init": 2,
    "group_l1": 1e-3,
    "max_steps": 7,
    "choose_once": True,
    "tie_bins": True,
    "fast_above_bits": 50,
}


@pytest.mark.parametrize("setting", [*OF_WORDS, *BEARING])
def test_a_setting_that_bears_on_results_changes_their_digests(setting):
    other = replace(BASE, **{setting: (OF_WORDS | BEARING)[setting]})
    before, after = digests(plan_of(BASE)), digests(plan_of(other))
    kept = {job.kind for job, name in before.items() if name in after.values()}
    assert kept == ({"describe"} if setting in BEARING else set())


def test_every_setting_bears_on_digests_or_is_a_list_of_what_to_do():
    listing = {"recordings", "windows", "models", "n_hidden", "objectives", "n_splits"}
    assert set(Experiment.settings()) == listing | set(OF_WORDS) | set(BEARING)


@pytest.mark.parametrize(
    "more",
    [
        {"n_splits": 4},
        {"windows": (1, 2)},
        {"n_hidden": (3, 6)},
        {"objectives": ("likelihood", "mpf")},
    ],
)
def test_a_longer_list_keeps_all_digests_except_of_tests_whose_members_change(more):
    """Assemblies are of all splits together."""
    before = digests(plan_of(BASE))
    after = digests(plan_of(replace(BASE, **more)))
    if "n_splits" in more:
        over_splits = {job for job in before if job.kind == "assemblies"}
        assert all(before.pop(job) != after[job] for job in over_splits)
    shared = {job: name for job, name in before.items() if job.kind not in ("test", "patterns")}
    assert shared.items() <= after.items()
    same_members = set(more) <= {"n_splits", "windows"}
    tests = before.items() - shared.items()
    assert (tests <= after.items()) if same_members else tests.isdisjoint(after.items())


def test_other_data_change_every_digest():
    plan = plan_of(BASE)
    before, after = digests(plan), digests(plan, RecordingInfo("f1", 5))
    assert set(before.values()).isdisjoint(after.values())


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 9), split=st.integers(0, 9))
def test_a_split_is_known_by_its_number_and_its_seed(seed, split):
    """Split 1 of seed 0 is dealt as split 0 of seed 1, but means another row of the results."""
    job = Job("fit", "A", "instantaneous", 1, split, RBM)
    found = settings_of(job, replace(BASE, seed=seed), (RBM,))
    assert (found["job"]["split"], found["experiment"]["random_state"]) == (split, seed + split)


def test_a_digest_is_the_same_in_every_process_and_release():
    """Written down: a change of it makes all stores compute everything again."""
    job = Job("fit", "A", "instantaneous", 1, 0, RBM)
    name = digest(settings_of(job, BASE, (ISING, RBM, SEMI)), INFO)
    assert name == "7aecd0b25083d7f8028484e4efcc7c09"


class Candidate(NamedTuple):
    l1: float
    bits_per_second: float
    converged: bool
    false_mass: float = math.nan


def chosen(path):
    rows = {
        each.l1: {
            "validation_bits_per_second": each.bits_per_second,
            "validation_stderr": 0.0,
            "converged": int(each.converged),
            "false_mass": each.false_mass,
        }
        for each in path
    }
    [found] = [each for each in path if each.l1 == chosen_l1(rows)]
    return found


def test_a_fit_with_a_spurious_mode_is_chosen_only_if_there_is_no_other():
    false = [Candidate(0.0, 99.0, True, 0.02), Candidate(1e-3, 98.0, True, 0.5)]
    assert chosen([*false, Candidate(2e-3, -1.0, False, 0.009)]).l1 == 2e-3
    assert chosen(false).l1 == 0.0


@settings(deadline=None, max_examples=50)
@given(
    scores=st.lists(st.tuples(st.sampled_from([1.0, 2.0, -math.inf, math.nan]), st.booleans())),
    last=st.booleans(),
)
def test_the_choice_is_the_first_of_the_documented_order(scores, last):
    path = [Candidate(float(k), *score) for k, score in enumerate([*scores, (1.0, last)])]
    # Converged before not, numbers before none, then the score, then l1; by exclusion.
    left = [each for each in path if each.converged] or path
    left = [each for each in left if not math.isnan(each.bits_per_second)] or left
    top = max(each.bits_per_second for each in left)
    left = [each for each in left if each.bits_per_second == top] or left
    assert chosen(path) is left[-1]
