"""CONTRIBUTING.md names files as they are called, and its examples work as it says."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from jinja2 import ChoiceLoader, DictLoader
from scipy.optimize import approx_fprime
from scipy.special import log_softmax

import microcolumn as mc
from microcolumn import energy, figures, io, models
from microcolumn.energy import log_weight
from microcolumn.figures import _all
from microcolumn.io import _readers, _recognise
from microcolumn.layout import Layout
from microcolumn.models import _files
from microcolumn.objectives import Objective, mpf
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers import minimise
from microcolumn.wording import _templates

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
#: Code of the examples, by where it would stand in the package.
EXAMPLES = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))


@pytest.fixture
def example(tmp_path, monkeypatch):
    """Import an example as a module of the package, until the test ends."""

    def add(file):
        path = tmp_path / Path(file).name
        path.write_text(EXAMPLES[file])
        name = f"microcolumn.{file.removesuffix('.py').replace('/', '.')}"
        spec = spec_from_file_location(name, path)
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return add


def test_every_file_that_it_names_exists():
    named = set(re.findall(r"[\w./-]*\w\.(?:py|pyi|js|md|txt|toml)\b", TEXT)) - set(EXAMPLES)
    folders = ("src", "tests", "docs", "benchmarks", "requirements")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    known = [f"/{path.relative_to(ROOT)}" for path in [*ROOT.iterdir(), *files]]
    assert "io/_recognise.py" in named
    missing = {name for name in named if not any(path.endswith(f"/{name}") for path in known)}
    assert missing == set()


def test_it_is_short_and_so_is_each_example():
    assert len(TEXT.splitlines()) <= 190
    assert len(EXAMPLES) == TEXT.count("```python") == 6
    for file, code in EXAMPLES.items():
        assert len([line for line in code.splitlines() if line.strip()]) <= 20, file


def test_a_reader_is_found_by_its_name_or_by_the_file(example, tmp_path, monkeypatch):
    example("io/pairs.py")
    reader = _readers.Reader("pairs of unit and time")
    monkeypatch.setitem(io.READERS, "pairs", reader)
    monkeypatch.setitem(_recognise._BY_EXTENSION, ".pairs", "pairs")
    path = tmp_path / "session.pairs"
    path.write_text("b\t30\na\t10\nb\t20\n")
    named = mc.read(path, reader="pairs", sampling_rate=10.0)
    found = mc.read(path, sampling_rate=10.0)
    for recording in (named, found):
        times = dict(zip(recording.units.ids, recording.trains, strict=True))
        assert {unit: train.tolist() for unit, train in times.items()} == {
            "a": [1.0],
            "b": [2.0, 3.0],
        }
    with pytest.raises(ValueError, match="'bin_width' is no option of reading pairs of unit"):
        mc.read(path, bin_width=0.02)
    path.write_text("a\tnoon\n")
    with pytest.raises(ValueError, match=r"session\.pairs: .*'noon'"):
        mc.read(path)


def test_a_model_is_fitted_scored_sampled_and_saved(example, tmp_path, monkeypatch, every_word):
    rates = example("models/_rates.py").Rates
    monkeypatch.setattr(models, "Rates", rates, raising=False)
    monkeypatch.setattr(_files, "MODELS", (*_files.MODELS, "Rates"))
    X = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 0]], dtype=np.uint8)
    words = mc.Words.from_array(X, bin_width=0.02)
    model = rates().fit(words)
    expected = np.array([1.5, 3.5, 0.5]) / 4.0
    np.testing.assert_allclose(model.p_, expected)
    np.testing.assert_allclose(np.exp(model.score_samples(every_word(3))).sum(), 1.0)
    np.testing.assert_allclose(model.conditional(X, unit=1), 3.5 / 4.0)
    np.testing.assert_allclose(model.sample(4000, random_state=0).mean(axis=0), expected, atol=0.03)
    model.save(tmp_path / "model.safetensors")
    again = mc.load(tmp_path / "model.safetensors")
    assert type(again) is rates
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    compared = mc.compare({"Rates": model, "Independent": mc.Independent().fit(words)}, words)
    assert compared.scores["Rates"].splits[0].nats_per_word == pytest.approx(model.score(words))


class _ExactLikelihood(Objective):
    """Minus the mean log probability of weighted words, by listing all of them."""

    def __init__(self, X, p):
        self._X, self._p = X.astype(float), p

    def __call__(self, theta):
        log_p = log_softmax(log_weight(theta, self._X))
        return -self._p @ log_p, theta.moments(self._X, np.exp(log_p) - self._p)


def test_a_hidden_unit_is_summed_out_and_fitted(example, every_word):
    unit, X = example("energy/_spin.py").SPIN, every_word(3)
    z, states = np.linspace(-3.0, 3.0, 7), np.array([-1.0, 1.0])
    weights = np.exp(np.outer(states, z))
    np.testing.assert_allclose(unit.log_gate(z), np.log(weights.sum(axis=0)))
    np.testing.assert_allclose(unit.mean(z), states @ weights / weights.sum(axis=0), atol=1e-12)
    p = np.random.default_rng(1).dirichlet(np.ones(8))
    start = Parameters(b=[0.1, 0.2, 0.3], W=[[0.5], [-0.4], [0.3]], c=[0.2], hidden=unit)
    found = minimise(_ExactLikelihood(X, p), start, L1(0.01))
    assert found.converged
    assert found.parameters.hidden is unit
    np.testing.assert_allclose(
        energy.hidden_mean(found.parameters, X),
        unit.mean(found.parameters.c + X @ found.parameters.W),
    )
    # Units without a penalty are active as often as in the words.
    fitted = np.exp(log_softmax(log_weight(found.parameters, X)))
    np.testing.assert_allclose(fitted @ X, p @ X, atol=1e-7)
    for refused in (mc.log_partition, lambda theta: mpf(theta, X)):
        with pytest.raises(TypeError, match="do not know hidden units of kind 'spin'"):
            refused(found.parameters)


def test_an_objective_is_minimised_at_the_truth(example, random_parameters, every_word):
    ratio_matching = example("objectives/_ratio_matching.py").RatioMatching
    truth, X = random_parameters("ising", n_units=3, scale=0.5), every_word(3)
    p = np.exp(log_softmax(log_weight(truth, X)))
    objective = ratio_matching(mc.Words.from_array(X, bin_width=0.02, sample_weight=p))
    start = random_parameters("ising", n_units=3, scale=0.3, seed=1)
    layout, gradient = Layout.of(start), np.empty(6)
    objective.evaluate(layout.pack(start), layout, gradient)
    slopes = approx_fprime(layout.pack(start), lambda x: objective(layout.unpack(x))[0])
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    found = minimise(objective, start, L1(0.0), tol=1e-10)
    assert found.converged
    np.testing.assert_allclose(found.parameters.J, truth.J, atol=1e-6)
    np.testing.assert_allclose(found.parameters.b, truth.b, atol=1e-6)


def test_a_penalty_is_added_to_another(example):
    ridge = example("penalties/_ridge.py").Ridge
    pull = np.array([[0.0, 3.0, 0.1], [3.0, 0.0, -2.0], [0.1, -2.0, 0.0]])

    def objective(theta):  # |J - pull|^2 / 2 over all entries; b is free
        off = theta.J - pull
        return 0.5 * float((off**2).sum() + (theta.b**2).sum()), Parameters(b=theta.b, J=off)

    start = Parameters(b=np.ones(3), J=np.zeros((3, 3)))
    found = minimise(objective, start, L1(0.5) + ridge(2.0))
    assert found.converged
    # For each pair once: (J - pull)^2 + |J| + J^2 is least where the soft threshold says.
    expected = np.sign(pull) * np.maximum(np.abs(pull) - 0.5, 0.0) / 2.0
    np.testing.assert_allclose(found.parameters.J, expected, atol=1e-7)
    assert found.parameters.J[0, 2] == 0.0


def test_a_figure_is_drawn_from_a_study(example, planted_results, monkeypatch):
    sizes = example("figures/_sizes.py").sizes
    monkeypatch.setitem(_all.FIGURES, "sizes", _all.Figures(sizes))
    templates = _templates("figures")
    caption = DictLoader({"sizes.txt": "{{ n_models }} models of {{ about }}."})
    monkeypatch.setattr(templates, "loader", ChoiceLoader([caption, templates.loader]))
    [(request, figure)] = figures.draw_all(planted_results, figures=["sizes"])
    assert request.name == "sizes"
    models = planted_results.comparison(request.recording).ranked
    [ax] = figure.axes
    assert [bar.get_width() for bar in ax.patches] == [each.n_nonzero for each in models]
    assert [label.get_text() for label in ax.get_yticklabels()] == [each.name for each in models]
    assert figure.caption.startswith(f"{len(models)} models of 20 ms words.")
