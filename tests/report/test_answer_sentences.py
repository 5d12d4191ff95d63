"""Every kind of answer, of one recording and of several, from scores that are given."""

import re
from dataclasses import replace

import planted_study
import pytest
from planted_comparison import compared

from microcolumn.report._answer_models import best_model, good_enough, holds_for, others_agree
from microcolumn.report._answer_sentences import beyond_pairs, in_layers, named, size_of_gain, title
from microcolumn.report._assembly_table import ASSEMBLY
from microcolumn.report._findings import Finding, Layering, _kind

GROUPS = {"Ising": 10.0, "RBM 25": 12.0}
PAIRS = {"Ising": 12.0, "RBM 25": 10.0}
EQUAL = {"Ising": 10.0, "RBM 25": 10.01}
NO_LAYERS = "No labels of several layers, so this was not tested"


def found(levels=GROUPS, name="A", **options):
    """What a recording says whose models have these scores."""
    comparison = compared(levels, **options)
    return Finding(name, name, "instantaneous", 1, name, comparison, _kind(comparison),
                   NO_LAYERS, {}, None, "", "")  # fmt: skip


KINDS = {
    "groups": ({"levels": GROUPS}, "Groups of units describe unseen activity better than pairs do"),
    "pairs": ({"levels": PAIRS}, "Pairs of units describe unseen activity better than groups do"),
    "equal": (
        {"levels": EQUAL, "scatter": 0.1},
        "Pairs of units suffice to describe unseen activity",
    ),
    "same": (
        {"levels": {"Ising": 10.0, "RBM 25": 10.0}, "scatter": 0.0},
        "Pairs of units suffice to describe unseen activity",
    ),
    "undecided": (
        {"levels": GROUPS, "scatter": 40.0},
        "Undecided whether groups of units describe unseen activity better than pairs do",
    ),
    "too few splits": (
        {"levels": GROUPS, "n_splits": 2},
        "Undecided whether groups of units describe unseen activity better than pairs do",
    ),
    "open": (
        {"levels": GROUPS, "Ising": {"fit_converged": False}},
        "Undecided whether groups of units describe unseen activity better than pairs do",
    ),
    "untested": (
        {"levels": {"Ising": 10.0}},
        "Ising describes unseen activity better than independent units do",
    ),
}
BEGINNINGS = {
    "groups": "Yes. RBM 25 (hidden units that each stand for a group of units) scores 2.00 ± ",
    "pairs": "No, pairs do better. RBM 25 ",
    "equal": "No, pairs suffice. RBM 25 ",
    "same": "No, pairs suffice. RBM 25 (hidden units that each stand for a group of units) scores "
    "the same as Ising (pairs of units alone) in every split.",
    "undecided": "Undecided. RBM 25 ",
    "too few splits": "Too few splits to decide (2; at least 3 are needed). So far RBM 25 ",
    "open": "Open: the fit of Ising has not converged. So far RBM 25 ",
    "untested": "Not tested: this takes an Ising model and one with hidden units",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_title_claims_what_the_test_does(kind):
    options, beginning = KINDS[kind]
    one = found(**options)
    assert one.kind == kind
    assert title([one], "A") == f"{beginning} in A"


@pytest.mark.parametrize("kind", KINDS)
def test_groups_against_pairs_begin_with_the_answer(kind):
    options, _ = KINDS[kind]
    told = beyond_pairs([found(**options)])
    assert told.startswith(BEGINNINGS[kind])
    fitted = "Both are fitted by maximum likelihood. A score is the gain in log-likelihood "
    assert (fitted in told) == (kind != "untested")


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_of_a_gain_is_told_as_one_where_there_is_one(kind):
    options, _ = KINDS[kind]
    told = size_of_gain([found(**options)])
    assert told.startswith("Groups add") == (kind == "groups")
    assert told.startswith("Not settled: ") == (kind in ("undecided", "too few splits", "open"))
    assert ("the 95 % interval" in told) == (kind in ("undecided", "open"))
    assert ("times as likely" in told) == (kind == "groups")
    assert (told == "") == (kind == "untested")


@pytest.mark.parametrize("gain", [0.1, 11.0, 300.0])
def test_what_nobody_can_imagine_is_not_told_in_times(gain):
    """A tenth of a bit, 2,000 times as likely, and more than any float can hold."""
    one = found({"Ising": 50.0, "RBM 25": 50.0 + gain}, scatter=0.01)
    assert one.kind == "groups"
    assert "times as likely" not in size_of_gain([one])


def test_an_equal_score_is_told_by_its_95_per_cent_interval():
    options, _ = KINDS["equal"]
    told = beyond_pairs([found(**options)])
    assert ", with a 95 % interval within ±2 % of the best model's gain over " in told


def test_several_recordings_are_counted_by_kind():
    some = [found(**KINDS[kind][0], name=f"R{n}") for n, kind in enumerate(KINDS)]
    assert title(some, "8 recordings") == (
        "Groups of units describe unseen activity better than pairs do in 1 of 8 recordings; pairs "
        "do better than groups in 1; pairs suffice in 2; undecided in 3; not tested in 1"
    )
    told = beyond_pairs(some)
    assert told.startswith("In 1 of 8 recordings. ")
    assert "Groups are better in R0, by 2.00 bits/s (20 %)." in told
    assert "Pairs are better in R1, by 2.00 bits/s (17 %)." in told
    assert "Both are equal in R2 and R3, to within 2 % " in told
    assert "Not tested in R7." in told


@pytest.mark.parametrize(
    ("kinds", "titled", "told"),
    [
        (["groups"] * 3, "Groups of units describe unseen activity better than pairs do in 3 of "
         "3 recordings", "Yes, in all 3 recordings."),
        (["equal", "pairs"], "Pairs of units describe unseen activity better than groups do in 1 "
         "of 2 recordings; pairs suffice in 1", "No: pairs suffice in 2 of 2 recordings."),
        (["undecided", "open"], "Undecided whether groups of units describe unseen activity better "
         "than pairs do in 2 recordings", "Undecided."),
        (["untested"] * 2, "Ising describes unseen activity better than independent units do in 2 "
         "of 2 recordings", "Not tested: "),
    ],
)  # fmt: skip
def test_recordings_that_agree_are_told_together(kinds, titled, told):
    some = [found(**KINDS[kind][0], name=f"R{n}") for n, kind in enumerate(kinds)]
    assert title(some, f"{len(kinds)} recordings") == titled
    assert beyond_pairs(some).startswith(told)


def test_thirty_recordings_stay_short():
    layers = Layering("RBM 25", 4, 4, 0.8, 0.5, 3.0, 10.0)
    many = [replace(found(name=f"recording {n}"), layering=layers) for n in range(30)]
    for paragraph in (beyond_pairs, size_of_gain, in_layers, best_model, holds_for):
        assert len(paragraph(many)) < 700
    assert "in 30 recordings" in beyond_pairs(many)
    assert in_layers(many).startswith("More than by chance in 30 recordings, with p < 0.05 in a ")
    assert "In the median recording, 80 % (50 % if layers are shuffled) of all" in in_layers(many)
    assert best_model(many).startswith("RBM 25 scores highest in 30 of 30 recordings.")
    assert good_enough(many) == ""
    agreed = others_agree(many, many)
    assert agreed == "Yes. instantaneous: groups better in 30."


def test_long_names_are_cut():
    assert named([found(name="x" * 100)]) == "x" * 39 + "…"


def test_a_rival_that_is_clearly_better_is_in_the_title():
    one = found(GROUPS | {"BernoulliMixture": 20.0})
    assert one.rival_wins
    assert title([one], "A").endswith(" in A; BernoulliMixture does better still")
    told = best_model([one])
    assert told.startswith("BernoulliMixture (a mixture of independent populations; not of the ")
    assert "Of the paper's family (Ising, RBM) it is RBM 25." in told
    assert "BernoulliMixture is better than RBM 25 by 8.00 ± " in told
    tree = best_model([found(GROUPS | {"Tree": 20.0})])
    assert tree.startswith("Tree (a tree of pairs; not of the paper's family) has the highest")
    equal = found(EQUAL | {"BernoulliMixture": 20.0}, scatter=0.1)
    assert title([equal], "A").endswith("; BernoulliMixture does better than both")
    two = [one, found(name="B")]
    assert title(two, "2 recordings").endswith("; BernoulliMixture does better still in 1")
    told = best_model(two)
    assert "BernoulliMixture (a mixture of independent populations; not of" in told
    assert "a model of another kind is clearly better in 1" in told


@pytest.mark.parametrize(("scatter", "sure"), [(0.1, "2"), (40.0, "none")])
def test_of_a_best_model_of_the_family_it_is_told_whether_rivals_are_clearly_behind(scatter, sure):
    levels = GROUPS | {"BernoulliMixture": 11.0, "TwoTree": 5.0}
    told = best_model([found(levels, name, scatter=scatter) for name in "AB"])
    assert told.startswith("RBM 25 scores highest in 2 of 2 recordings. Where a model of the ")
    assert f"the best of another kind (BernoulliMixture) in {sure} of 2 recordings. The" in told


def test_a_rival_is_not_better_than_a_fit_that_has_not_converged():
    one = found(GROUPS | {"BernoulliMixture": 20.0}, **{"RBM 25": {"fit_converged": False}})
    assert not one.rival_wins
    assert "BernoulliMixture" not in title([one], "A")


class Fit(str):
    """What a test of adequacy found, in words, and by its kind."""

    missed, describes, pairs_in_doubt = (), True, False


class Doubtful(Fit):
    """Pairs are off by much, which may be chance."""

    pairs_in_doubt = True


class Missing(Fit):
    """Beyond chance and by much."""

    missed, describes = ("pairs",), False


@pytest.mark.parametrize(
    ("kind", "lead", "several"),
    [
        (Fit, "Yes, as far as these words can tell", "Yes, in 2 of 2 recordings, as far as their"),
        (Doubtful, "Not known, since these words are too few to refute it", "Not known in 2 of 2 "),
        (Missing, "No", "No, in 2 of 2 recordings: RBM 25 misses pairs (in 2)."),
    ],
)
def test_what_few_words_cannot_refute_is_not_called_good_enough(kind, lead, several):
    some = [replace(found(name=n), adequacy=kind("so says it"), adequate="RBM 25") for n in "AB"]
    assert good_enough(some[:1]) == f"{lead}: RBM 25 so says it."
    assert good_enough(some).startswith(several)


def test_a_lead_over_independent_units_that_may_be_chance_is_called_so():
    sure, unsure = found(GROUPS, scatter=0.1), found(GROUPS, "B", scatter=40.0)
    assert "above independent units." in best_model([sure])
    assert re.search(
        r"above independent units \(p = \S+, which may be chance\)\.", best_model([unsure])
    )
    assert best_model([sure, unsure]).endswith(" independent units, beyond chance in 1 of 2.")


@pytest.mark.parametrize(
    ("others", "lead"),
    [
        (["groups", "groups"], "Yes."),
        (["groups", "undecided"], "None contradicts, but some are undecided."),
        (["undecided", "untested"], "They do not decide."),
        (["groups", "pairs"], "Only in part."),
        (["pairs", "undecided"], "No."),
    ],
)
def test_experiments_that_decide_nothing_contradict_nothing(others, lead):
    rest = [found(**KINDS[kind][0]) for kind in others]
    assert others_agree(rest, [found()]).startswith(f"{lead} ")


def test_where_all_models_have_false_modes_none_is_best():
    one = found()
    one = replace(one, compared=replace(one.compared, models=(), pairs=()), kind="untested")
    assert title([one], "A") == "No model can be ranked in A: all have a false mode"
    assert best_model([one]) == "None can be ranked: all have a false mode."


def test_recordings_with_and_without_layers():
    rows = planted_study.assemblies(list("abcdefghij"))
    inside = Layering("RBM 25", 4, 4, 0.8, 0.5, 3.0, 10.0)
    some = [
        replace(found(name="A"), layering=inside, assemblies={"RBM 25": rows}),
        replace(
            found(name="B"),
            layering=replace(inside, n_inside=0, share=0.55),
            assemblies={"RBM 25": replace(rows, rows=rows.rows[1:])},
        ),
        found(name="C"),
    ]
    told = in_layers(some)
    assert told.startswith("More than by chance in A, with p < 0.05 in a permutation test in every")
    assert "no more than by chance, as far as can be seen, in B. Of all weight, 80 % in A " in told
    assert "55 % in B lies in the main layer of its hidden unit; if layers are shuffled, 50" in told
    assert "Not tested in 1, which have no layers or no hidden units." in told
    assert "0 to 1 hidden units of the best model that has some, in the first split of a " in told
    assert told.endswith(ASSEMBLY)
    assert in_layers(some[2:]) == f"{NO_LAYERS}."
    assert in_layers([some[2], found(name="D")]) == f"{NO_LAYERS}."
