"""What is refused, by which argument, and in which words.

python tests/test_errors.py    # writes the sentences of tests/wording.txt as they are now
"""

import ast
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import microcolumn as mc
from microcolumn.errors import (
    BadArgument,
    BadFile,
    BadInput,
    BadType,
    Unsupported,
    advice,
    in_file,
    within,
)
from microcolumn.layers import layer_labels
from microcolumn.partition.ais import annealed_importance_sampling
from microcolumn.partition.exact import exact_log_partition
from microcolumn.survey._csd import current_source_density, flash_response
from microcolumn.validation import check_binary, listed, real_array, texts

WORDING = Path(__file__).with_name("wording.txt")
SOURCE = Path(mc.__file__).parent
WORDS = mc.Words.from_array(np.random.default_rng(0).random((40, 3)) < 0.3)
BITS = np.random.default_rng(0).random((30, 4)) < 0.4
BINS, HALF = mc.Words.from_array(BITS), np.full(4, 0.5)
LFP = mc.io.LFP(np.ones((2000, 6)), 1000.0, 100.0 * np.arange(6), "surface")
ISING = mc.Ising.from_parameters(mc.Parameters(b=np.zeros(4), J=np.zeros((4, 4))))


def matrix(value, dtype=np.float64):
    """Zeros but for one place and a later one."""
    X = np.zeros((5, 9), dtype=dtype)
    X[3, 7] = X[4, 0] = value
    return X


#: What the expressions in the file may name.
NAMES = {
    "mc": mc,
    "np": np,
    "masked": lambda values: np.ma.array(values, mask=values),
    "from_array": lambda X=np.eye(4, 2), **arguments: mc.Words.from_array(X, **arguments),  # noqa: B008
    "anneal": annealed_importance_sampling,
    "log_partition": mc.partition.log_partition,
    "gibbs_samples": mc.partition.gibbs_samples,
    "words": WORDS,
    "fit": lambda model=None, **options: (model or mc.Ising()).fit(WORDS.X, **options),
    "theta": mc.Parameters(b=[0.0, 1.0]),
    "parameters": lambda b=(0.0, 0.0), **arguments: mc.Parameters(b, **arguments),
    "experiment": lambda **settings: mc.study.Experiment("mine", **settings),
    "source": lambda **entry: mc.study.Source.from_dict("mine", entry),
    "recording": mc.Recording([[0.5]], epochs=[[0, 1]]),
    "exact_log_partition": exact_log_partition,
    "converge": lambda **options: mc.partition.annealing_convergence(
        mc.Parameters(b=[0.0, 1.0]), **{"steps": (1,)} | options
    ),
    "coupled": mc.Parameters(b=np.zeros(60), J=0.1 * (1 - np.eye(60))),
    "hidden": mc.Parameters(b=np.zeros(2), J=1.0 - np.eye(2), W=np.ones((2, 1))),
    "three": mc.Recording(
        [[0.5], [0.1], [0.2]], mc.Units("abc", layer=["II/III", "IV", "V/VI"]), [[0, 1]]
    ),
    "repeats": mc.Repeats([0.0, 0.2], 0.2),
    "drive": mc.StimulusDrive.from_words,
    "respond": lambda flashes_s: flash_response(LFP, flashes_s),
    "currents": lambda depth_um, **options: current_source_density(
        np.zeros((depth_um.size, 3)), depth_um, **options
    ),
    "depths": np.arange(100.0, 1700.0, 100.0),
    "check_binary": check_binary,
    "real_array": real_array,
    "texts": texts,
    "listed": listed,
    "sparse": sparse,
    "layer_labels": layer_labels,
    "LFP": LFP,
    "potentials": lambda samples=np.zeros((10, 2)), **changed: mc.io.LFP(  # noqa: B008
        samples,
        **{"sampling_rate_hz": 1e3, "depth_um": [0.0, 100.0], "depth_reference": "tip"} | changed,
    ),
    "flash_response": flash_response,
    "potential": mc.Parameters(
        b=np.zeros(4), J=np.zeros((4, 4)), v=np.arange(5.0) * [0, 0, 1, 1, 1]
    ),
    "gaussian": mc.models.GaussianRBM.from_parameters(
        mc.Parameters(b=np.zeros(4), W=np.ones((4, 1)), hidden="gaussian")
    ),
    "plan": lambda **sections: mc.study.Plan.from_dict(
        {"recordings": {"B4": {"preset": "B4"}}} | sections
    ),
    "matrix": matrix,
    "bits": BITS,
    "bins": BINS,
    "weighted": mc.Words.from_array(BITS, sample_weight=np.full(30, 2.0)),
    "windows": mc.Words.from_array(np.random.default_rng(0).random((20, 17)) < 0.3).embed(2),
    "ising": ISING,
    "large": mc.Independent.from_parameters(mc.Parameters(b=np.zeros(34))),
    "fitted": mc.Ising(l1=0.1).fit(BINS),
    "newest": mc.Ising(objective="conditional").fit(BINS.embed(2)),
    "driven": mc.models.Driven(
        mc.Ising(objective="mpf"), mc.StimulusDrive.from_words(BINS, mc.Repeats([0.0, 0.3], 0.3))
    ).fit(BINS),
    "counted": mc.Recording([[0.005, 0.015]], epochs=[[0, 0.06]], resolution_s=0.010),
    "layers": ["a", "a", "b", "b"],
    "half": HALF,
    "predicted": mc.evaluate.predict(ISING, BINS, positions=[2, 0]),
    "pairs": mc.evaluate.effective_interactions(ISING, order=2),
    "gain": lambda positions=None, **options: mc.evaluate.conditional_gain(
        ISING, BINS, positions, HALF, **options
    ),
}
#: Raised where another part of the package calls wrongly, which no user can: bugs.
BUGS = {
    "study/_compute.py": 1,  # a job without a model
    "study/store.py": 2,  # a result that is stored twice, or of no type that SQLite has
}


def rendered():
    """The file as it reads now: each expression, then how it is refused."""
    lines = []
    for line in WORDING.read_text().splitlines():
        if line.startswith(" "):
            continue
        lines.append(line)
        if line and not line.startswith("#"):
            with pytest.raises(BadInput) as caught:
                eval(line, NAMES)
            lines.append(
                f"  {type(caught.value).__name__}({caught.value.argument}): {caught.value}"
            )
    return "\n".join([*lines, ""])


def test_refusals_read_as_in_the_file():
    assert rendered() == WORDING.read_text()


@pytest.mark.parametrize(
    "error",
    [
        BadInput("there is no word", "pass some"),
        BadArgument("J[1, 2]", "is nan", "it must be finite"),
        BadType("n_hidden", "is 'a'", "pass a whole number"),
        Unsupported("a cascade has no hidden units"),
        BadFile("its times are in samples", advice("pass {sampling_rate} in Hz")),
    ],
)
def test_errors_cross_processes_with_all_that_they_know(error):
    with pytest.raises(type(error)) as caught, in_file("a.csv"), within("line 2"):
        raise error
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert (copy.path, copy.places) == ("a.csv", ("a.csv", "line 2"))
    assert str(copy).startswith("a.csv: line 2: ")


def test_wrong_types_are_type_errors_and_all_are_value_errors():
    for kind in (BadInput, BadArgument, BadType, Unsupported, BadFile):
        assert issubclass(kind, ValueError)
        assert issubclass(kind, TypeError) == (kind in (BadType, Unsupported))


def test_arguments_and_settings_can_go_by_other_names():
    error = BadArgument("b[0]", "is nan", advice("pass {start} or {times:t}{n}", n=3))
    assert str(error) == "b[0] is nan; pass start= or times='t'n=3"
    assert (error.argument, error.entry) == ("b", "[0]")
    other = error.sentence({"b": "--bias"}, lambda setting: f"--{setting.name}")
    assert other == "--bias[0] is nan; pass --start or --times--n"


def test_what_a_user_passed_is_refused_by_errors_of_the_package_alone():
    bare = Counter()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            raised = getattr(getattr(node, "exc", None), "func", None)
            if getattr(raised, "id", "") in ("ValueError", "TypeError"):
                bare[path.relative_to(SOURCE).as_posix()] += 1
    assert bare == BUGS


if __name__ == "__main__":
    WORDING.write_text(rendered())
