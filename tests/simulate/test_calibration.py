import numpy as np
import pytest

from microcolumn.simulate._column import draw_column
from microcolumn.simulate._spikes import calibrate, draw_cells, draw_trains


@pytest.mark.parametrize(
    ("multiunit", "single", "multiple"), [(False, 0.035, 0.008), (True, 0.02, 0.01)]
)
def test_calibrated_columns_have_the_wanted_shares_in_other_minutes(multiunit, single, multiple):
    rng = np.random.default_rng(0)
    _, truth, rate = draw_column(16, multiunit, 60.0, 1200.0, rng)
    cells = draw_cells(truth, rng)
    found = calibrate(truth, cells, rate, single, multiple, np.random.SeedSequence(1))
    trains = draw_trains(truth, cells, *found, 1200.0, rng)
    # 600 samples of the 30 kHz clock are 20 ms.
    counts = np.stack([np.bincount(train // 600, minlength=60_000) for train in trains])
    assert np.mean(counts == 1) == pytest.approx(single, rel=0.1)
    assert np.mean(counts > 1) == pytest.approx(multiple, rel=0.15)
    active = np.mean(counts > 0, axis=1)
    np.testing.assert_allclose(active, (single + multiple) * rate, rtol=0.25)
