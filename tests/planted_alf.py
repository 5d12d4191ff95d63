"""Sessions in ALF with all files that the two archives write, and what must be read from them."""

from __future__ import annotations

import csv

import numpy as np

#: Places along a probe from its tip to the surface, with their numbers in the Allen ontology.
PLACES = {
    "": 0,
    "CA1": 382,
    "VISp6b": 305,
    "VISp6a": 33,
    "VISp5": 778,
    "VISp4": 721,
    "VISp2/3": 821,
    "VISp1": 593,
}
SECONDS = 60.0


def spikes(clusters, seed=0, rate=4.0, seconds=SECONDS):
    """Times in order and the cluster of each spike."""
    rng = np.random.default_rng(seed)
    n_spikes = rng.poisson(rate * seconds, len(clusters))
    which = np.repeat(clusters, n_spikes)
    times = rng.uniform(0.1, seconds, which.size)
    order = np.argsort(times)
    return times[order], which[order]


def save(folder, **arrays):
    """Arrays as ``object.attribute.npy``, named ``object__attribute``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name.replace('__', '.', 1)}.npy", array)


def write_parquet(path, **columns):
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table(columns), path)


def write_rows(path, *rows, delimiter=","):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)


#: Of each cluster of an IBL probe: share of metrics passed, Kilosort's verdict, and the quality
#: that these mean. Cluster 3 has no spikes and no row of metrics.
METRICS = {
    0: (1.0, "good", "good"),
    1: (2 / 3, "good", "failed"),
    2: (1 / 3, "mua", "mua"),
    4: (0.0, "noise", "noise"),
    5: (1.0, "mua", "good"),
    6: (1.0, "good", "good"),
    7: (1.0, "good", "good"),
}


def write_ibl_probe(folder, seed=0, metrics=True):
    """A sorting as ``alf/probe00/pykilosort``; cluster n has its peak on channel 2 n."""
    n_clusters, n_channels = 8, 16
    times, which = spikes(list(METRICS), seed)
    y = 20.0 * np.arange(n_channels)
    ids = np.repeat(list(PLACES.values()), 2)
    save(
        folder,
        spikes__times=times,
        spikes__clusters=which.astype(np.uint32),
        spikes__samples=np.round(times * 30_000).astype(np.int64),
        spikes__templates=which.astype(np.uint16),
        spikes__amps=np.full(times.size, 5e-5, np.float32),
        spikes__depths=20.0 * 2 * which.astype(np.float32),
        clusters__channels=2 * np.arange(n_clusters),
        clusters__depths=40.0 * np.arange(n_clusters) + 5,
        clusters__amps=np.linspace(1e-4, 2e-4, n_clusters),
        clusters__peakToTrough=np.linspace(-0.5, 0.7, n_clusters),
        clusters__waveforms=np.zeros((n_clusters, 82, 32), np.float32),
        clusters__waveformsChannels=np.zeros((n_clusters, 32), np.int64),
        templates__waveforms=np.zeros((n_clusters, 82, 32), np.float32),
        templates__waveformsChannels=np.zeros((n_clusters, 32), np.int64),
        templates__amps=np.ones(n_clusters),
        channels__localCoordinates=np.column_stack((np.tile([43.0, 11.0], 8), y)),
        channels__rawInd=np.arange(n_channels),
        channels__mlapdv=np.zeros((n_channels, 3)),
        channels__brainLocationIds_ccf_2017=-ids,  # the left hemisphere
        channels__labels=np.zeros(n_channels),
        drift__times=np.zeros(3),
        drift__um=np.zeros((3, 1)),
    )
    uuids = [[f"00000000-0000-4000-8000-{n:012d}"] for n in range(n_clusters)]
    write_rows(folder / "clusters.uuids.csv", ["uuids"], *uuids)
    (folder / "_ibl_log.info_pykilosort.log").write_text("sorted\n")
    if metrics:
        write_parquet(
            folder / "clusters.metrics.pqt",
            cluster_id=np.array(list(METRICS)),
            presence_ratio=np.full(len(METRICS), 0.9),
            slidingRP_viol=[share == 1.0 for share, *_ in METRICS.values()],
            noise_cutoff=np.full(len(METRICS), 3.0),
            label=[share for share, *_ in METRICS.values()],
            ks2_label=[verdict for _, verdict, _ in METRICS.values()],
        )
    return folder


def write_ibl(session, probes=("probe00", "probe01")):
    """A session of the brain-wide map."""
    alf = session / "alf"
    for n, probe in enumerate(probes):
        write_ibl_probe(alf / probe / "pykilosort", seed=n)
        save(alf / probe, electrodeSites__localCoordinates=np.zeros((384, 2)))
    write_rows(alf / "probes.description.json", ['[{"label": "probe00", "model": "3B2"}]'])
    intervals = np.array([[1.0, 4.0], [4.5, 9.0], [9.5, np.nan]])
    write_parquet(
        alf / "_ibl_trials.table.pqt",
        intervals_0=intervals[:, 0],
        intervals_1=intervals[:, 1],
        stimOn_times=intervals[:, 0] + 0.5,
        choice=np.array([1.0, -1.0, 0.0]),
    )
    save(
        alf,
        _ibl_wheelMoves__intervals=np.array([[2.0, 2.5], [6.0, 7.0]]),
        _ibl_trials__intervals_bpod=intervals + 100,
        _ibl_trials__stimOff_times=intervals[:, 1],
        _ibl_wheel__timestamps=np.linspace(0, 60, 100),
    )
    write_rows(
        alf / "_ibl_passivePeriods.intervalsTable.csv",
        ["", "passiveProtocol", "spontaneousActivity", "RFM", "taskReplay"],
        ["start", 30.0, 31.0, 45.0, ""],
        ["stop", 60.0, 44.0, 55.0, ""],
    )
    save(session / "raw_ephys_data" / "probe00", _spikeglx_sync__times=np.zeros(4))
    return session


#: Of each cluster of Steinmetz et al.: annotation (from 4 on a score), quality, probe, peak channel
#: counted from 1, area. Channels of the second probe follow those of the first; there is no 13.
STEINMETZ = [
    (2, "good", 0, 1, "VISp"),
    (1, "mua", 0, 6, "CA1"),
    (0, "noise", 0, 2, "VISp"),
    (3, "unsorted", 1, 7, "MOs"),
    (57, "", 1, 12, "root"),
    (2, "good", 1, 13, ""),
]


def write_steinmetz(folder):
    """A session of figshare 9598406: columns of shape (n, 1), both probes in one folder."""
    annotations, _, probes, peaks, _ = zip(*STEINMETZ, strict=True)
    n_clusters = len(STEINMETZ)
    times, which = spikes(list(range(n_clusters)))
    areas = ["VISp"] * 3 + ["CA1"] * 3 + ["MOs"] * 3 + ["root"] * 3
    channels = len(areas)

    def column(values, dtype=np.float64):
        return np.array(values, dtype=dtype)[:, None]

    save(
        folder,
        spikes__times=column(times),
        spikes__clusters=column(which, np.uint32),
        spikes__amps=column(np.ones(times.size)),
        spikes__depths=column(np.ones(times.size)),
        clusters__depths=column([3820.0, 1200.0, 0.0, 2500.0, 40.0, 100.0]),
        clusters__peakChannel=column(peaks),
        clusters__probes=column(probes, np.uint8),
        clusters___phy_annotation=column(annotations, np.uint8),
        clusters__originalIDs=column(np.arange(n_clusters) * 7, np.int32),
        clusters__waveformDuration=column(np.ones(n_clusters)),
        clusters__templateWaveformChans=np.zeros((n_clusters, 50)),
        clusters__templateWaveforms=np.zeros((n_clusters, 82, 50), np.float32),
        channels__sitePositions=np.column_stack((np.zeros(channels), np.arange(channels) * 20.0)),
        channels__probe=column(np.repeat([0, 1], 6), np.uint8),
        channels__site=column(np.arange(channels), np.uint16),
        channels__rawRow=column(np.arange(channels), np.uint16),
        spontaneous__intervals=np.array([[40.0, 55.0]]),
        trials__intervals=np.array([[1.0, 3.0], [4.0, 6.0]]),
        trials__visualStim_times=column([1.5, 4.5]),
        trials__included=column([True, False], bool),
        licks__times=column([2.0]),
        passiveStimulus__positions=np.zeros((2, 2)),
    )
    places = [[5000.0, 800.0, 3000.0, area] for area in areas]
    write_rows(
        folder / "channels.brainLocation.tsv",
        ["ccf_ap", "ccf_dv", "ccf_lr", "allen_ontology"],
        *places,
        delimiter="\t",
    )
    write_rows(folder / "probes.rawFilename.tsv", ["rawFilename"], ["a.bin"], ["b.bin"])
    write_rows(folder / "probes.description.tsv", ["description"], ["Neuropixels"], ["Neuropixels"])
    save(folder, probes__insertion=np.zeros((2, 6)), probes__sitePositions=np.zeros((2, 2)))
    return folder


#: Beginnings of the names of files that are read.
_READ = ("spikes.times", "spikes.clusters", "clusters.", "channels.", "_ibl_trials.table")
_READ += ("_ibl_wheelMoves", "_ibl_passive", "trials.intervals", "spontaneous.")


def without_unread(folder):
    """A session without the files that are never opened."""
    for path in sorted(folder.rglob("*.*")):
        if path.is_file() and not path.name.startswith(_READ):
            path.unlink()
    return folder
