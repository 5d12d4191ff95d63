from dataclasses import replace

import pytest

from microcolumn.study._experiment import INSTANTANEOUS, SPATIOTEMPORAL, Experiment


def test_the_defaults_are_the_papers_protocol_but_for_penalties_and_splits_by_blocks():
    assert INSTANTANEOUS.l1 == "auto"
    assert (INSTANTANEOUS.n_hidden, INSTANTANEOUS.n_splits) == ((25,), 10)
    assert (INSTANTANEOUS.bin_width, INSTANTANEOUS.windows) == (0.020, (1,))
    assert (INSTANTANEOUS.split_by, INSTANTANEOUS.train) == ("blocks", 0.5)
    assert SPATIOTEMPORAL.windows == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15)
    assert (SPATIOTEMPORAL.most_active, SPATIOTEMPORAL.max_words) == (10, 200_000)
    assert (SPATIOTEMPORAL.bin_width, SPATIOTEMPORAL.n_hidden) == (0.0067, ("dims",))
    assert SPATIOTEMPORAL.split_by == "blocks"
    assert SPATIOTEMPORAL.l1 == INSTANTANEOUS.l1


@pytest.mark.parametrize(
    ("setting", "value", "kind", "problem"),
    [
        ("n_splits", 0, ValueError, "n_splits is 0; it must be at least 1"),
        ("n_splits", True, TypeError, "n_splits is True; pass a whole number"),
        ("seed", -1, ValueError, "seed is -1; it must be at least 0"),
        ("most_active", 0, ValueError, "most_active is 0; it must be at least 1"),
        ("max_words", 1, ValueError, "max_words is 1; it must be at least 2"),
        ("windows", [1, 0], ValueError, "windows is 0; it must be at least 1"),
        ("windows", [], ValueError, "windows is empty; list at least 1"),
        ("windows", [1, 2, 1], ValueError, "windows lists 1 twice; list it once"),
        ("models", ["ising"], ValueError, "models is 'ising'; did you mean 'Ising'?"),
        ("models", ["GLM"], ValueError, "models is 'GLM'; choose one of 'Ising', 'RBM', 'SemiRBM'"),
        ("n_hidden", "dim", ValueError, "n_hidden is 'dim'; give whole numbers or 'dims'"),
        ("objectives", "mle", ValueError, "objectives is 'mle'; choose one of"),
        ("l1", [2e-3, 1e-3], ValueError, "l1 has 0.001 behind 0.002; list them"),
        ("l1", [0, 0.0], ValueError, "l1 lists 0.0 twice"),
        ("l1", [-1e-3], ValueError, "l1 has -0.001; it must be finite"),
        ("l1", [float("nan")], ValueError, "l1 has nan; it must be finite"),
        ("l1", "fine", ValueError, "l1 is 'fine'; give 'auto', 'coarse' or numbers"),
        ("l1", ["0.1"], TypeError, "l1 is '0.1'; give numbers such as 2e-3"),
        ("train", 1.0, ValueError, "train is 1.0; it must lie between 0 and 1"),
        ("validation", float("nan"), ValueError, "validation is nan; it must lie between 0 and 1"),
        ("split_by", "word", ValueError, "split_by is 'word'; did you mean 'words'?"),
        ("bin_width", 20, ValueError, "bin_width is 20, which looks like milliseconds"),
        ("recordings", ["a", "a"], ValueError, "recordings lists 'a' twice; list it once"),
        ("recordings", [""], ValueError, "the name of a recording is ''; give it one"),
        ("recordings", ["a\tb"], ValueError, r"the name of a recording is 'a\tb'; give it one"),
        ("recordings", [4], TypeError, "the name of a recording is an int; pass a name in text"),
    ],
)
def test_a_bad_setting_gets_a_sentence_with_experiment_and_setting(setting, value, kind, problem):
    with pytest.raises(kind) as caught:
        Experiment("mine", **{setting: value})
    assert str(caught.value).startswith(f"experiment mine: {problem}")
    with pytest.raises(kind):
        replace(INSTANTANEOUS, **{setting: value})
