import numpy as np
import pytest
from planted_lfp import Sink, planted_lfp

from microcolumn.figures._csd import csd
from microcolumn.io import LFP
from microcolumn.survey.laminar import layers_from_flashes

pytest.importorskip("elephant")

EVEN = np.arange(100.0, 1700.0, 100.0)


def laminar_map(depths, reference="surface", zero_um=0.0, flashes_more=()):
    lfp, flashes = planted_lfp([Sink(730.0, 0.040), Sink(1300.0, 0.060, size=2.5)], depths)
    stated = zero_um - depths if reference == "tip" else depths
    recording = LFP(lfp, 1000.0, stated, reference, start_s=2.0)
    return layers_from_flashes(recording, [*flashes, *flashes_more])


@pytest.fixture(scope="module")
def found():
    return laminar_map(EVEN, flashes_more=[999.0])


def test_the_image_is_the_current_source_density_with_sinks_red_and_its_unit_stated(found):
    image = csd(found).axes[1].collections[0]
    np.testing.assert_array_equal(image.get_array(), found.csd)
    red, _, blue, _ = image.cmap(image.norm(-found.sinks[0].size))
    assert red > blue
    assert image.norm.vmin == -image.norm.vmax
    assert "µA/mm³" in image.colorbar.ax.get_ylabel()


def test_layer_boundaries_are_drawn_across_all_panels_and_named(found):
    panels = csd(found).axes[:3]
    for panel in panels:
        heights = [line.get_ydata()[0] for line in panel.lines if line.get_linestyle() == "--"]
        assert heights == [found.top_um, found.bottom_um]
    names = {text.get_text(): text.xy[1] for text in panels[2].texts}
    assert list(names) == ["II/III", "IV", "V/VI"]
    assert found.top_um < names["IV"] < found.bottom_um


def test_the_onset_of_the_first_sink_and_the_other_candidates_are_marked(found):
    markers = {
        line.get_marker(): (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in csd(found).axes[1].lines
        if line.get_marker() != "None"
    }
    assert markers[">"] == (1e3 * found.latency_s, found.sinks[0].depth_um)
    assert markers["o"] == (1e3 * found.sinks[1].onset_s, found.sinks[1].depth_um)
