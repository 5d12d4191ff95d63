"""Jobs come when what they start from is done, one split after the other; the rest is forecast."""

import math

import pytest
from hypothesis import given, strategies as st

from microcolumn.models import ModelSpec
from microcolumn.study._forecast import Forecast
from microcolumn.study._jobs import Job
from microcolumn.study._ready import ReadyJobs


def job(kind="fit", split=0, model="Ising", experiment="one"):
    return Job(kind, "A", experiment, 1, split, ModelSpec(model))


@given(st.data())
def test_each_job_comes_once_after_all_that_it_uses_and_none_after_a_failure(data):
    n = data.draw(st.integers(1, 12))
    splits = data.draw(st.lists(st.sampled_from([0, 1, 2, None]), min_size=n, max_size=n))
    jobs = {str(k): job(split=split) for k, split in enumerate(splits)}
    uses = {
        str(k): data.draw(st.sets(st.sampled_from([str(j) for j in range(k)]))) if k else set()
        for k in range(n)
    }
    fails = data.draw(st.sets(st.sampled_from(list(jobs))))
    before = data.draw(st.sets(st.sampled_from(list(jobs)))) - fails
    by_identity = {id(each): uses[name] for name, each in jobs.items()}
    ready = ReadyJobs(jobs, lambda each: by_identity[id(each)], before)
    done, given_out = set(before), []
    while (name := ready.take()) is not None:
        assert uses[name] <= done
        earlier = [
            other for other in jobs if uses[other] <= done and other not in (*done, *given_out)
        ]
        assert (splits[int(name)] or 0) == min(splits[int(other)] or 0 for other in earlier)
        given_out.append(name)
        if name not in fails:
            done.add(name)
            ready.finish(name)
    assert len(set(given_out)) == len(given_out)
    assert not before & set(given_out)
    left = set(jobs) - before - set(given_out)
    assert all(not uses[name] <= done for name in left)


def test_a_job_takes_as_long_as_those_that_are_most_like_it():
    fits = [job(split=k, model=model) for k in range(3) for model in ("Ising", "RBM")]
    tests = [job("test", k) for k in range(3)]
    forecast = Forecast([*fits, *tests], n_workers=2)
    assert forecast.seconds is None
    forecast.finish(fits[0], 1.0)
    assert forecast.seconds == 8 * 1.0 / 2  # as long as any
    forecast.finish(fits[1], 10.0)
    assert forecast.seconds == pytest.approx((2 * 1.0 + 2 * 10.0 + 3 * 5.5) / 2)
    forecast.finish(tests[0], 0.5)
    assert forecast.seconds == pytest.approx((2 * 1.0 + 2 * 10.0 + 2 * 0.5) / 2)
    forecast.finish(tests[1], 0.0)  # it failed
    for each in (*fits[2:], tests[2]):
        forecast.finish(each, 0.5)
    assert math.isclose(forecast.seconds, 0.0)
