import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from microcolumn import Recording
from microcolumn.errors import BadArgument, BadType
from microcolumn.study.plan import INSTANTANEOUS, SPATIOTEMPORAL, Experiment, Plan, Source, diff

EXAMPLE = """
[recordings.B4]
preset = "B4"
[recordings.session1]
file = "session1.nwb"
depth_reference = "surface"
layers = "II/III 650 IV 1000 V/VI"
select = { min_rate_hz = 0.1 }

[instantaneous]
n_splits = 10
[spatiotemporal]
recordings = ["B4"]
windows = [1, 2, 3]
[experiments.coarse]
bin_width = 0.04
n_hidden = 5
objectives = "likelihood"
"""
B4 = '[recordings.B4]\npreset = "B4"\n'


def from_text(folder, text):
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return Plan.from_toml(folder / "plan.toml")


def tiny(last=1.0):
    return Recording([[0.5, last], [0.1]], epochs=[[0.0, 2.0]])


def test_a_toml_file_becomes_the_plan_it_describes(tmp_path):
    plan = from_text(tmp_path, EXAMPLE)
    assert plan.sources == (
        Source("B4", preset="B4"),
        Source(
            "session1",
            file=str((tmp_path / "session1.nwb").resolve()),
            read={"depth_reference": "surface", "layers": "II/III 650 IV 1000 V/VI"},
            select={"min_rate_hz": 0.1},
        ),
    )
    assert plan.experiments == (
        INSTANTANEOUS,
        replace(SPATIOTEMPORAL, recordings=("B4",), windows=(1, 2, 3)),
        Experiment("coarse", bin_width=0.04, n_hidden=(5,), objectives=("likelihood",)),
    )
    assert [source.name for source in plan.sources_of(plan.experiments[0])] == ["B4", "session1"]
    assert [source.name for source in plan.sources_of(plan.experiments[1])] == ["B4"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (B4 + "[instantaneous\n", ": it is not TOML: .*line 3, .*; correct that line"),
        (f"a = {'[' * 5000}{']' * 5000}", ": it has lists or tables within each other that are "),
    ],
)  # fmt: skip
def test_a_bad_file_gets_one_sentence_with_its_name(tmp_path, text, problem):
    with pytest.raises(ValueError, match=rf"plan\.toml{problem}") as caught:
        from_text(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_gets_one_sentence(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.toml cannot be read .* check the path"):
        Plan.from_toml(tmp_path / "no.toml")
    with pytest.raises(IsADirectoryError, match=r"cannot be read \(Is a directory\)"):
        Plan.from_toml(tmp_path)
    (tmp_path / "study.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(ValueError, match=r"study\.db: it is a store, not a plan; give"):
        Plan.from_toml(tmp_path / "study.db")
    (tmp_path / "latin.toml").write_bytes(B4.encode() + b"# \xe9")
    with pytest.raises(ValueError, match=r"latin\.toml: line 3 is not UTF-8 text"):
        Plan.from_toml(tmp_path / "latin.toml")


def test_recordings_without_names_are_known_by_their_stems():
    plan = Plan.of([Path("a/s.nwb"), "b/s.npz", "s 2.npz", "B4", tiny(), tiny(1.5)])
    names = [source.name for source in plan.sources]
    assert names == ["s", "s 2", "s 2 2", "B4", "recording", "recording 2"]
    assert (plan.sources[1].file, plan.sources[3].preset) == (str(Path("b/s.npz").resolve()), "B4")


def test_several_bin_widths_are_an_experiment_each_and_a_single_one_is_the_usual():
    plan = Plan.of("B4", bin_width=(0.02, 1 / 30), n_splits=3, spatiotemporal=True)
    widths = {each.name: each.bin_width for each in plan.experiments}
    assert widths == {"20 ms": 0.02, "33.3333333 ms": 1 / 30, "spatiotemporal": 0.0067}
    assert {each.n_splits for each in plan.experiments} == {3}
    for single in (0.04, [0.04]):
        [experiment] = Plan.of("B4", bin_width=single).experiments
        assert (experiment.name, experiment.bin_width) == ("instantaneous", 0.04)


@pytest.mark.parametrize("widths", [[], [0.02, 0.02], [0.02, 20.0], [0.02, "wide"]])
def test_bin_widths_that_cannot_be_are_refused(widths):
    with pytest.raises((BadArgument, BadType)) as refused:
        Plan.of("B4", bin_width=widths)
    assert refused.value.argument == "bin_width"


def test_the_papers_plan_is_that_of_the_method():
    plan = Plan.paper()
    assert [source.preset for source in plan.sources] == ["B4", "T6", "B4MU"]
    names = [[source.name for source in plan.sources_of(each)] for each in plan.experiments]
    assert names == [["B4", "T6", "B4MU"], ["B4", "T6", "B4MU"], ["B4"]]
    chosen = {"l1": tuple(k * 1e-3 for k in (0, 1, 2, 4, 6, 8, 10)), "objectives": ("mpf",)}
    assert plan.experiments[0] == replace(INSTANTANEOUS, **chosen, split_by="words", n_hidden=(25,))
    in_each_split = replace(SPATIOTEMPORAL, choose_once=False, **chosen)
    assert replace(plan.experiments[2], recordings=()) == in_each_split


experiments = st.builds(
    Experiment,
    name=st.sampled_from(["instantaneous", "spatiotemporal", "mine", "ø 1"]),
    bin_width=st.sampled_from([0.02, 1 / 150]),
    most_active=st.none() | st.integers(1, 40),
    max_words=st.none() | st.integers(2, 10**6),
    windows=st.lists(st.integers(1, 20), min_size=1, max_size=5, unique=True),
    n_hidden=st.lists(st.just("dims") | st.integers(1, 40), min_size=1, max_size=4, unique=True),
    l1=st.sampled_from(["auto", "coarse"])
    | st.lists(st.floats(0, 1), min_size=1, max_size=8, unique=True).map(sorted),
    n_splits=st.integers(1, 20),
    train=st.floats(0.1, 0.9),
)
plans = st.lists(experiments, min_size=1, max_size=4, unique_by=lambda each: each.name).map(
    lambda several: Plan(Plan.of(["B4", "s.npz", tiny()]).sources, tuple(several))
)


@settings(deadline=None, max_examples=60)
@given(plans)
def test_plans_survive_json_and_pickling(plan):
    again = Plan.from_dict(json.loads(json.dumps(plan.as_dict(), allow_nan=False)))
    assert again == plan
    assert hash(again) == hash(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan


@settings(deadline=None, max_examples=60)
@given(plans)
def test_a_quick_look_is_a_part_of_the_plan_and_quick_itself(plan):
    quick = plan.quick()
    assert quick.quick() == quick
    for small, whole in zip(quick.experiments, plan.experiments, strict=True):
        assert small.l1 == (
            "coarse" if isinstance(whole.l1, str) or len(whole.l1) > 3 else whole.l1
        )
        assert set(small.windows) <= set(whole.windows)
        assert len(small.windows) <= 3
        assert max(small.n_hidden) <= 10
        assert small.max_words <= 30_000
        assert small.n_splits <= 5
        most = 7 if max(whole.windows) > 1 else 80
        assert small.most_active in (whole.most_active, most)
        assert small.most_active <= (whole.most_active or most)
        unchanged = ("name", "bin_width", "split_by", "train", "seed")
        assert all(getattr(small, name) == getattr(whole, name) for name in unchanged)


def test_all_changes_of_a_plan_are_told_in_order():
    old = Plan.of({"a": "B4", "s": Source("s", file="s.npz"), "m": tiny(1.0)})
    new = Plan.of(
        {
            "t": "T6",
            "s": Source("s", file="s.npz", read={"quality": "good"}, select={"layer": ["IV"]}),
            "m": tiny(1.5),
        },
        seed=3,
        spatiotemporal=True,
    )
    assert diff(old, new) == [
        "recording a is no longer planned",
        "recording t is new",
        "recording s: quality was not set, is good",
        "recording s: select was not set, is layer IV",
        "recording m: its data in memory are not the same",
        "instantaneous: seed was 0, is 3",
        "experiment spatiotemporal is new",
    ]
    assert "experiment spatiotemporal is no longer planned" in diff(new, old)


def test_animals_are_stated_by_recording_in_a_plan_and_in_python(tmp_path):
    plan = Plan.of({"a": "B4", "b": "T6"}, animals={"b": "m1"})
    assert [source.animal for source in plan.sources] == ["", "m1"]
    assert Plan.from_dict(plan.as_dict()) == plan
    read = from_text(
        tmp_path, f'{B4}animal = "m2"\n[recordings.x]\nfile = "x.nwb"\nanimal = "m2"\n'
    )
    assert [source.animal for source in read.sources] == ["m2", "m2"]
    assert "animal" not in read.sources[1].read
    assert Plan.of({"a": Source("x", preset="B4", animal="m3")}).sources[0].animal == "m3"


def test_animals_of_recordings_that_the_plan_does_not_have_are_refused():
    with pytest.raises(BadArgument, match="names 'c', which is none of the recordings") as caught:
        Plan.of({"a": "B4"}, animals={"c": "m1"})
    assert caught.value.argument == "animals"


@pytest.mark.parametrize("animal", [1, " ", "a\nb"])
def test_an_animal_is_called_by_a_name_that_can_be_printed(animal):
    with pytest.raises(ValueError, match="animal"):
        Source("x", preset="B4", animal=animal)
