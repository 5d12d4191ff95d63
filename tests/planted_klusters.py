"""A session of Klusters, as NeuroScope's and Klusters' manuals describe its files."""

from __future__ import annotations

import numpy as np

RATE = 20_000
_XML = """<?xml version='1.0'?>
<parameters creator="ndManager-1.1" version="1.0" >
 <acquisitionSystem>
  <nBits>16</nBits>
  <nChannels>8</nChannels>
  <samplingRate>{rate}</samplingRate>
 </acquisitionSystem>
 <fieldPotentials>
  <lfpSamplingRate>1250</lfpSamplingRate>
 </fieldPotentials>
 <spikeDetection>
  <channelGroups>
   <group><channels><channel>0</channel></channels><nSamples>32</nSamples></group>
  </channelGroups>
 </spikeDetection>
</parameters>
"""


def write_group(folder, group, spikes, name="s1.{kind}.{group}"):
    """Files of one group of electrodes from pairs of sample and cluster."""
    ordered = sorted(spikes)
    clusters = [len({cluster for _, cluster in ordered}), *(cluster for _, cluster in ordered)]
    for kind, numbers in (("res", [sample for sample, _ in ordered]), ("clu", clusters)):
        lines = "".join(f"{number}\n" for number in numbers)
        (folder / name.format(kind=kind, group=group)).write_text(lines)


def write_xml(folder, rate=RATE, base="s1"):
    (folder / f"{base}.xml").write_text(_XML.format(rate=rate))


def write_klusters(recording, folder):
    """The units of a recording in two groups, as clusters from 2 on, with artefacts and noise."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    half = len(recording.units) // 2
    for group, units in enumerate((range(half), range(half, len(recording.units))), start=1):
        trains = [np.round(recording.trains[n] * RATE).astype(int) for n in units]
        trains = [*(np.sort(rng.integers(0, RATE, size)) for size in (3, 9)), *trains]
        spikes = [(int(t), cluster) for cluster, train in enumerate(trains) for t in train]
        write_group(folder, group, spikes)
    write_xml(folder)
    (folder / "s1.eeg").write_bytes(bytes(int(recording.duration_s * 1250) * 8 * 2))
    return folder
