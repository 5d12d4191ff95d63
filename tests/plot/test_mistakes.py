"""What every plot does alike: where it draws, what passes through, and what a mistake is told.

A mistake is one sentence, ``what it is; what to pass instead``, that names the argument; no figure
is left behind by it.
"""

import inspect
import re

import matplotlib as mpl
import numpy as np
import pytest
from drawing import axes
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn import plot

#: Functions of models on words, which take one model, several, or several by name.
OF_MODELS = (
    "calibration",
    "cumulative_gain",
    "gain",
    "gain_by_activity",
    "gain_parts",
    "group_gain",
    "moments",
    "patterns",
    "prediction",
    "ranking",
    "synchrony",
    "zipf",
)
#: Those that compare groups with pairs, for which one model is too few.
OF_GROUPS = ("cumulative_gain", "gain_by_activity", "group_gain")
#: Functions whose colours are those of a map.
MAPS = ("couplings", "hidden_map")
#: One plot of each kind of input, for what all of them check by the same functions.
SAMPLE = ("couplings", "hidden_units", "raster", "ranking", "windows")


@pytest.fixture(scope="module")
def recording():
    return mc.simulate.microcolumn(n_units=5, minutes=0.5, seed=1)


@pytest.fixture(scope="module")
def words(recording):
    return recording.bin(0.020)


@pytest.fixture(scope="module")
def ising(words):
    return mc.Ising(l1=1e-3).fit(words)


@pytest.fixture(scope="module")
def rbm(words):
    return mc.RBM(2, l1=1e-4).fit(words)


@pytest.fixture(scope="module")
def calls(recording, words, ising, rbm, planted_results):
    """Arguments of every plot with which it draws something."""
    models = {"Ising": ising, "RBM": rbm}
    by_window = planted_results.by_window("cells")
    convergence = mc.partition.annealing_convergence(rbm.parameters_, steps=(1, 2), n_chains=4)
    of_models = dict.fromkeys(OF_MODELS, (models, words))
    return of_models | {
        "activation": (rbm, words),
        "contrast": (mc.evaluate.contrast(*words.split(), mc.Ising(l1=1e-3)),),
        "annealing": (convergence,),
        "annealing_error": (convergence,),
        "arcs": (ising,),
        "assembly": (rbm, 0),
        "basins": (rbm, words),
        "bin_widths": ({0.020: planted_results.comparison("cells", experiment="instantaneous")},),
        "correlations": (words,),
        "correlogram": (recording,),
        "couplings": (ising,),
        "forest": (mc.evaluate.pool([mc.evaluate.Estimate(0.1, 0.02, "%")] * 2),),
        "groups": (rbm,),
        "heat_capacity": (mc.evaluate.heat_capacity(ising, temperatures=[0.5]),),
        "hidden_map": (rbm, 0),
        "hidden_units": (rbm, words),
        "layers": (rbm, ["IV", "IV", "V", "V", "V"]),
        "modes": (mc.models.BernoulliMixture(2).fit(words),),
        "planted": (mc.evaluate.PlantedGroup("IV", ("1", "2"), "h0", ("2", "3")), words),
        "penalties": (mc.evaluate.choose_l1(mc.Ising(), words, words, [1e-3, 1e-2]),),
        "prediction": (models, words, 0),
        "probe": (recording,),
        "raster": (recording,),
        "rates": (recording,),
        "window_gains": (by_window,),
        "windows": (by_window,),
    }


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """Neither figures nor settings: those of the user are as they were."""
    plt.close("all")  # of other tests
    before = dict(mpl.rcParams)
    yield
    left = plt.get_fignums()
    plt.close("all")  # so that a failure is that of one test
    assert left == []
    assert dict(mpl.rcParams) == before


def refused(function, *arguments, **options):
    """What the error says, which is one sentence; that it is there."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*arguments, **options)
    sentence = str(caught.value)
    assert re.fullmatch(r"[^\n;]+(;[^\n;]+)+", sentence), sentence
    assert len(sentence) < 250
    return sentence


def without(name, argument, calls):
    """Positional arguments of a plot up to the one that is given by its name."""
    at = list(inspect.signature(getattr(plot, name)).parameters).index(argument)
    return calls[name][:at]


def taking(argument):
    """Names of the plots that take an argument."""
    return [
        name
        for name in plot.__all__
        if argument in inspect.signature(getattr(plot, name)).parameters
    ]


def test_every_plot_is_tried_here(calls):
    assert set(calls) == set(plot.__all__)


@pytest.mark.parametrize("name", plot.__all__)
def test_it_draws_where_it_is_told_under_the_title_given(name, calls):
    ax = axes()
    assert getattr(plot, name)(*calls[name], title="Mouse 3", ax=ax) is ax
    assert ax.get_title() == "Mouse 3"
    assert ax.has_data()


def test_all_plots_take_the_same_options():
    for name in plot.__all__:
        parameters = inspect.signature(getattr(plot, name)).parameters
        options = {key for key, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
        assert {"title", "ax", "cmap" if name in MAPS else "color"} <= options
        assert list(parameters)[-1] == "ax"
        documented = getattr(plot, name).__doc__
        assert all(re.search(rf"(?m)^(.*, )?{key}\b", documented) for key in parameters), name


@pytest.mark.parametrize("name", SAMPLE)
def test_without_axes_it_opens_a_figure(name, calls):
    number = getattr(plot, name)(*calls[name]).figure.number
    assert plt.get_fignums() == [number]
    plt.close(number)


#: Values that an argument cannot have, each with the beginning of the sentence about it.
BAD = [
    ("ax", "text", "ax is a"),
    ("ax", Figure().subplots(2, 2), "ax is a"),
    ("color", "reddish", "color is "),
    ("color", (np.nan,) * 3, "color is "),
    ("color", {"nobody": "red"}, "color (is|names) "),
    ("cmap", "reddish", "cmap is "),
    ("start_s", "text", "start_s is 'text'; give seconds"),
    ("stop_s", [1], r"stop_s is \[1\]; give seconds"),
    ("bin_width", 20, "bin_width is 20, which looks like milliseconds; give seconds"),
    ("bin_width", "a", "bin_width is 'a';"),
    ("units", "text", "units is "),
    ("units", 3, "units is "),
    ("hidden", "h1", "hidden is 'h1'; pass a whole number"),
    ("hidden", 7, "hidden (is 7|names h7);"),
    ("given", "future", "given is 'future'; choose one of 'rest', 'past'"),
    ("limit", -1, "limit is -1; give a positive number of nats"),
]


@pytest.mark.parametrize(("argument", "value", "sentence"), BAD)
def test_a_bad_argument_is_named(argument, value, sentence, calls):
    names = [name for name in taking(argument) if (name, argument) != ("probe", "units")]
    assert names
    for name in names:
        said = refused(getattr(plot, name), *without(name, argument, calls), **{argument: value})
        assert re.match(sentence, said), (name, said)


@pytest.mark.parametrize("name", plot.__all__)
def test_what_it_is_not_about_is_named(name, calls):
    function = getattr(plot, name)
    argument = next(iter(inspect.signature(function).parameters))
    for given in ("text", [], {"a": 3}, mc.RBM(2)):
        sentence = refused(function, given, *calls[name][1:])
        assert re.match(rf"{argument}(\[.*\])? is |RBM is not fitted yet; call fit", sentence)


@pytest.mark.parametrize("name", OF_MODELS)
def test_models_are_one_or_many_before_the_words(name, calls, ising, rbm):
    function, (models, words, *rest) = getattr(plot, name), calls[name]
    drive = mc.models.CommonDrive().fit(words)
    for several in ([ising, rbm], (rbm, drive), {"RBM": rbm, "my drive": drive}):
        assert function(several, words, *rest, ax=axes()).has_data()
    assert name in OF_GROUPS or function(rbm, words, *rest, ax=axes()).has_data()
    sentence = refused(function, words, models, *rest)
    assert sentence == "models is words; pass the models first, then the words"


@pytest.mark.parametrize("name", taking("words"))
def test_words_are_no_recording_and_of_the_same_units(name, calls, recording):
    function = getattr(plot, name)
    at = list(inspect.signature(function).parameters).index("words")
    other = mc.simulate.microcolumn(n_units=3, minutes=0.2, seed=0).bin(0.020)

    def said(words):
        return refused(function, *calls[name][:at], words, *calls[name][at + 1 :])

    assert said(recording).startswith("words is a Microcolumn; pass ")
    if at > 0:  # words alone are right whatever they are
        assert "pass the same units" in said(other)


@pytest.mark.parametrize("name", sorted(set(taking("units")) - {"probe"}))
def test_tables_of_units_are_found_in_words_and_recordings(name, calls, recording, words):
    for units in (recording.units, recording, words):
        drawn = getattr(plot, name)(*without(name, "units", calls), units=units, ax=axes())
        assert drawn.has_data()


@pytest.mark.parametrize("name", ["prediction", "calibration"])
def test_units_are_positions_or_ids(name, calls):
    function, arguments = getattr(plot, name), calls[name][:2]
    assert refused(function, *arguments, 5) == "unit is 5; the words have units 0 to 4"
    ids = arguments[1].units.ids
    assert refused(function, *arguments, "u1") == f"unit is 'u1'; choose one of {', '.join(ids)}"
    by_id, by_position = (function(*arguments, unit, ax=axes()) for unit in (ids[2], 2))
    drawn, expected = by_id.lines[-1].get_ydata(), by_position.lines[-1].get_ydata()
    assert drawn.size
    np.testing.assert_array_equal(drawn, expected)


def test_models_are_annealed_where_no_runs_are_given(rbm):
    assert len(plot.annealing(rbm, ax=axes()).lines[0].get_xdata()) == 14 * 500
    assert refused(plot.annealing, rbm, reference="x") == "reference is 'x'; give log Z in nats"


def test_time_that_was_not_recorded_is_no_empty_raster(recording, words):
    for data in (recording, words):
        sentence = refused(plot.raster, data, start_s=5000.0)
        assert sentence.startswith("nothing was recorded from 5000 to 5002 s; choose from ")
    assert "give start_s < stop_s" in refused(plot.raster, recording, start_s=3.0, stop_s=2.0)
