"""What every plot does alike: where it draws, what passes through, and what a mistake is told.

A mistake is one sentence, ``what it is; what to pass instead``, that names the argument; no figure
is left behind by it.
"""

import inspect
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn import plot

#: Functions of models on words, which take one model, several, or several by name.
OF_MODELS = (
    "calibration",
    "differences",
    "gain",
    "pattern_ratios",
    "patterns",
    "prediction",
    "ranking",
    "roc",
    "scores",
    "synchrony",
)
#: Functions whose colours are those of a map.
MAPS = ("couplings", "hidden_map")
#: One plot of each kind of input, for what all of them check by the same functions.
SAMPLE = ("couplings", "hidden_units", "raster", "scores", "windows")


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
        "annealing": (convergence,),
        "annealing_error": (convergence,),
        "assembly": (rbm, 0),
        "correlations": (words,),
        "correlogram": (recording,),
        "couplings": (ising,),
        "hidden_map": (rbm, 0),
        "hidden_units": (rbm, words),
        "layers": (rbm, ["IV", "IV", "V", "V", "V"]),
        "modes": (mc.models.BernoulliMixture(2).fit(words),),
        "penalties": (mc.evaluate.choose_l1(mc.Ising(), words, words, [1e-3, 1e-2]),),
        "prediction": (models, words, 0),
        "probe": (recording,),
        "raster": (recording,),
        "rates": (recording,),
        "roc": (models, words, 0),
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


def axes():
    return Figure().subplots()


def refused(function, *arguments, **options):
    """What the error says, which is one sentence; that it is there."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*arguments, **options)
    sentence = str(caught.value)
    assert re.fullmatch(r"[^\n;]+(;[^\n;]+)+", sentence), sentence
    assert len(sentence) < 250
    return sentence


def takes(name, argument):
    return argument in inspect.signature(getattr(plot, name)).parameters


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
    ax = getattr(plot, name)(*calls[name])
    assert plt.get_fignums() == [ax.figure.number]
    plt.close(ax.figure)


def test_what_cannot_be_drawn_on_is_named(calls):
    for ax in ("text", Figure(), [None], Figure().subplots(2, 2)):
        assert refused(plot.couplings, *calls["couplings"], ax=ax).startswith("ax is a")


@pytest.mark.parametrize("name", OF_MODELS)
def test_words_before_models_are_told_their_order(name, calls):
    models, words, *rest = calls[name]
    sentence = refused(getattr(plot, name), words, models, *rest)
    assert sentence == "models is words; pass the models first, then the words"


@pytest.mark.parametrize("name", ["ranking", "scores"])
def test_models_have_colours_by_numbers_that_are_their_names(name, calls, ising, rbm):
    drawn = getattr(plot, name)(
        {1: ising, 2: rbm}, calls[name][1], color={2: (0.1, 0.2, 0.3)}, ax=axes()
    )
    assert (0.1, 0.2, 0.3) in colours_in(drawn)


@pytest.mark.parametrize("name", ["ranking", "scores", "differences"])
def test_results_of_a_study_are_told_where_their_comparisons_are(name, planted_results):
    assert "results.comparison(...)" in refused(getattr(plot, name), planted_results)


@pytest.mark.parametrize("name", plot.__all__)
def test_what_it_is_not_about_is_named(name, calls):
    function = getattr(plot, name)
    argument = next(iter(inspect.signature(function).parameters))
    for given in ("text", [], {"a": 3}, mc.RBM(2)):
        sentence = refused(function, given, *calls[name][1:])
        assert re.match(rf"{argument}(\[.*\])? is |RBM is not fitted yet; call fit", sentence)


@pytest.mark.parametrize("name", sorted(set(plot.__all__) - set(MAPS)))
def test_colours_pass_through(name, calls):
    function = getattr(plot, name)
    drawn = function(*calls[name], color=(0.1, 0.2, 0.3), ax=axes())
    assert (0.1, 0.2, 0.3) in colours_in(drawn)
    for wrong in ("reddish", (np.nan,) * 3, {"nobody": "red"}):
        assert re.match("color (is|names) ", refused(function, *calls[name], color=wrong))


def colours_in(ax):
    """Red, green and blue of all artists, here and in inset axes."""
    found = set()
    for asked in ("get_color", "get_facecolor"):
        for artist in ax.findobj(lambda each, asked=asked: hasattr(each, asked)):
            found.update(map(tuple, to_rgba_array(getattr(artist, asked)())[:, :3].tolist()))
    return found


@pytest.mark.parametrize("name", MAPS)
def test_maps_of_colours_pass_through(name, calls):
    function = getattr(plot, name)
    cmap = mpl.colormaps["PuOr"]
    assert function(*calls[name], cmap=cmap, ax=axes()).images[0].cmap.name == "PuOr"
    assert refused(function, *calls[name], cmap="reddish").startswith("cmap is ")


@pytest.mark.parametrize("name", OF_MODELS)
def test_models_are_one_or_many(name, calls, ising, rbm):
    function, (_, *rest) = getattr(plot, name), calls[name]
    tree = mc.models.Tree().fit(rest[0])
    for models in ([ising, rbm], (ising, tree), {"Ising": ising, "my Tree": tree}):
        assert function(models, *rest, ax=axes()).has_data()
    if name != "differences":  # from one of several
        assert function(rbm, *rest, ax=axes()).has_data()


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "words")])
def test_a_recording_is_no_words(name, calls, recording):
    function = getattr(plot, name)
    at = list(inspect.signature(function).parameters).index("words")
    arguments = [*calls[name][:at], recording, *calls[name][at + 1 :]]
    sentence = refused(function, *arguments)
    assert sentence.startswith("words is a ")
    assert "recording.bin(0.020)" in sentence


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "words")])
def test_words_of_other_units_are_refused(name, calls):
    function = getattr(plot, name)
    at = list(inspect.signature(function).parameters).index("words")
    other = mc.simulate.microcolumn(n_units=3, minutes=0.2, seed=0).bin(0.020)
    if at == 0:  # of words alone, which are right whatever they are
        return
    arguments = [*calls[name][:at], other, *calls[name][at + 1 :]]
    assert "pass the same units" in refused(function, *arguments)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start_s": "text"}, "start_s is 'text'; give seconds"),
        ({"stop_s": [1]}, "stop_s is [1]; give seconds"),
        ({"start_s": 3.0, "stop_s": 2.0}, "from 3 to 2 s there is no time; give start_s < stop_s"),
    ],
)
@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "start_s")])
def test_times_are_seconds(name, options, sentence, calls):
    assert refused(getattr(plot, name), *calls[name], **options) == sentence


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "bin_width")])
def test_bin_widths_are_seconds(name, calls):
    sentence = refused(getattr(plot, name), *calls[name], bin_width=20)
    assert sentence.startswith("bin_width is 20, which looks like milliseconds; give seconds")
    assert refused(getattr(plot, name), *calls[name], bin_width="a").startswith("bin_width is 'a';")


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "units")])
def test_tables_of_units_are_found_in_words_and_recordings(name, calls, recording, words):
    function = getattr(plot, name)
    if name == "probe":
        return
    for units in (recording.units, recording, words):
        rest = calls[name][:1] if name == "layers" else calls[name]
        function(*rest, units=units, ax=axes())
    for wrong in ("text", 3, mc.Ising()):
        assert refused(function, *rest, units=wrong).startswith("units is ")


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "hidden")])
def test_hidden_units_are_numbers_of_columns(name, calls):
    function = getattr(plot, name)
    rest = calls[name] if name != "assembly" and name != "hidden_map" else calls[name][:1]
    assert refused(function, *rest, hidden="h1") == "hidden is 'h1'; pass a whole number"
    assert re.match("hidden (is 7|names h7);", refused(function, *rest, hidden=7))
    function(*rest, hidden=1, ax=axes())


@pytest.mark.parametrize("name", [name for name in plot.__all__ if takes(name, "given")])
def test_what_models_know_is_the_rest_or_the_past(name, calls):
    sentence = refused(getattr(plot, name), *calls[name], given="future")
    assert sentence == "given is 'future'; choose one of 'rest', 'past'"


@pytest.mark.parametrize("name", ["prediction", "roc", "calibration"])
def test_units_are_positions(name, calls):
    function, arguments = getattr(plot, name), calls[name][:2]
    assert refused(function, *arguments, 5) == "unit is 5; the words have units 0 to 4"
    sentence = "unit is 'u1'; pass its position among the units, such as 0"
    assert refused(function, *arguments, "u1") == sentence
    id_of_third = arguments[1].units.ids[2]
    assert refused(function, *arguments, id_of_third).endswith("among the units, 2")
    assert refused(function, *arguments, 1.0) == "unit is 1.0; pass a whole number"


def test_models_are_annealed_where_no_runs_are_given(rbm):
    assert len(plot.annealing(rbm, ax=axes()).lines[0].get_xdata()) == 14 * 500
    assert refused(plot.annealing, rbm, reference="x") == "reference is 'x'; give log Z in nats"
    assert (
        refused(plot.annealing, rbm, name=3) == "name is an int; pass what the reference is called"
    )


def test_limits_of_scales_are_positive(calls):
    for name in MAPS:
        sentence = refused(getattr(plot, name), *calls[name], limit=-1)
        assert sentence == "limit is -1; give a positive number of nats"


def test_pairs_of_models_are_pairs_of_names(calls):
    function, arguments = plot.differences, calls["differences"]
    for wrong in (3, ["RBM"], [("RBM",)]):
        assert refused(function, *arguments, also=wrong).startswith("also")
    assert "name some of Ising, RBM" in refused(function, *arguments, also=[("RBM", "Tree")])
    assert "pass the name of one" in refused(function, *arguments, reference=3)


def test_one_model_differs_from_none(ising, words):
    sentence = "there is no difference to draw; pass two models or more"
    assert refused(plot.differences, ising, words) == sentence


def test_rates_of_anything_else_are_those_of_a_recording(recording, words):
    assert "several spikes in a bin" in refused(plot.rates, words)
    sentence = refused(plot.rates, [recording])
    assert sentence == "recording is a list; pass one recording, such as mc.read(path)"


def test_time_that_was_not_recorded_is_no_empty_raster(recording, words):
    for data in (recording, words):
        sentence = refused(plot.raster, data, start_s=5000.0)
        assert sentence.startswith("nothing was recorded from 5000 to 5002 s; choose from ")


@pytest.mark.parametrize("name", ["assembly", "hidden_map"])
def test_hidden_units_without_weights_say_so(name, words):
    theta = mc.Parameters(b=[0.0] * 5, W=[[0.0, 1.0]] * 5, c=[0.0, 0.0])
    model = mc.RBM.from_parameters(theta)
    titles = [getattr(plot, name)(model, h, ax=axes()).get_title() for h in range(2)]
    assert titles == ["h0 (no weights)", "h1"]
