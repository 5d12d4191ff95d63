"""Spike lists of plates with several wells, as AxIS and the Multiwell-Analyzer export them."""

from __future__ import annotations

ABOUT = [
    ("Investigator", ""),
    ("   Sampling Frequency", "12500 Hz"),
    ("Recording Offset from File Start", "4m3s"),
    ("Actual File Section Run", "0s to 1m2s"),
    ("   Original File Time", "8/17/2015, 4:12:33 PM"),
]
FOOTER = [
    "",
    "Well Information",
    "Well,A1,A2",
    "Active,True,True",
    "Treatment,Control,Drug",
    "Concentration,,1 uM",
]


def spike_list(spikes, about=ABOUT, footer=FOOTER):
    """Text of a spike list from pairs of time and electrode; what is known stands beside them."""
    n_rows = max(len(spikes), len(about) - 1)
    keys = [*about, *[("", "")] * n_rows][: n_rows + 1]
    cells = ["Time (s),Electrode,Amplitude(mV)"]
    cells += [
        f"{time:.5f},{electrode},0.0{n % 9 + 1}" for n, (time, electrode) in enumerate(spikes)
    ]
    cells += [",,"] * (n_rows + 1 - len(cells))
    rows = [f"{a},{b},{c}" for (a, b), c in zip(keys, cells, strict=True)]
    return "\r\n".join([*rows, *footer, ""])


def write_spike_list(recording, path):
    """The units of a recording as electrodes of well A1, and one of them again in well A2."""
    spikes = [
        (time, f"A1_{n + 11}")
        for n, train in enumerate(recording.trains)
        for time in train.tolist()
    ]
    spikes += [(time, "A2_11") for time in recording.trains[1].tolist()]
    path.write_text(spike_list(sorted(spikes)))
    return path
