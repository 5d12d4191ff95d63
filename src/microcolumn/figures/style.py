"""One look for all figures: a colour per model, readable at column width."""

from __future__ import annotations

from typing import Any

#: Okabe & Ito's palette, distinguishable with any colour vision; the same in every figure.
MODEL_COLOURS = {
    "Independent": "#999999",
    "Ising": "#0072B2",
    "RBM": "#E69F00",
    "SemiRBM": "#009E73",
}

#: Settings for `matplotlib.rc_context`: embedded fonts, no box around the axes.
RC: dict[str, Any] = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "figure.dpi": 150,
}
