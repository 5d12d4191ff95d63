"""Feed every reader mutated files: each must be read or refused in one sentence.

A failure is a traceback other than the refusals that the command line turns into exit code 2, a
crash of the process, more than 20 seconds, more than a gigabyte, or a word of a file outside the
folder that was named ("foreign file"). What is behind a URL is served with lies about it. Run with
`python tests/fuzz.py --files 10000`; `--reader nwb` takes one alone, `--first 4711 --files 1
--keep FOLDER` brings back the file numbered 4711.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import mapped_files
import numpy as np
import planted_alf
import planted_archives
import planted_cellinfo
import planted_imaging
import planted_klusters
import planted_mclust
import planted_plates
import written
from hostile_server import HostileServer
from planted_alf import without_unread
from tqdm import tqdm

from microcolumn import io
from microcolumn.survey._summary import summarise

#: Writers of the files that mutations start from, and the name each gives to its file.
SEEDS = {
    "nwb": [
        (written.write_nwb, "a.nwb"),
        (partial(written.write_nwb, zarr=True), "a.nwb.zarr"),
        (lambda _, path: planted_archives.ibl(path), "ibl.nwb"),
        (lambda _, path: planted_archives.steinmetz(path), "steinmetz.nwb"),
    ],
    "phy": [(written.write_phy, "phy"), (partial(written.write_phy, templates=True), "kilosort")],
    "neo": [(written.write_nex, "a.nex")],
    "pynapple": [(written.write_pynapple, "a.npz")],
    "spikeinterface": [(written.write_spikeinterface, "sorting")],
    "matlab": [
        (written.write_matlab_v5, "a.mat"),
        (partial(written.write_matlab_v5, compressed=False), "b.mat"),
        (written.write_matlab_v73, "c.mat"),
    ],
    "alf": [
        (lambda _, path: without_unread(planted_alf.write_ibl(path, ("probe00",))), "ibl"),
        (lambda _, path: without_unread(planted_alf.write_steinmetz(path)), "steinmetz"),
    ],
    "cellinfo": [
        (lambda _, path: planted_cellinfo.write_cellinfo(path), "cellinfo"),
        (lambda _, path: planted_cellinfo.write_cellinfo(path, "7.3"), "cellinfo73"),
    ],
    "mclust": [
        (planted_mclust.write_mclust, "mclust"),
        (partial(planted_mclust.write_mclust, bits=64), "wide"),
    ],
    "klusters": [(planted_klusters.write_klusters, "s1")],
    "suite2p": [(planted_imaging.write_suite2p, "plane0")],
    "caiman": [(planted_imaging.write_caiman, "a.hdf5")],
    "csv": [(written.write_csv, "a.csv")],
    "plates": [(planted_plates.write_spike_list, "a.csv")],
    "parquet": [
        (written.write_parquet, "a.parquet"),
        (partial(written.write_parquet, compression=None), "b.parquet"),
        (written.write_parquet, "a.feather"),
        (partial(written.write_parquet, compression="uncompressed"), "b.feather"),
    ],
    "npz": [(written.write_npz, "a.npz")],
    "hdf5": [(mapped_files.write_hdf5, "a.h5")],
    "mapped": [
        (mapped_files.write_mat, "a.mat"),
        (partial(mapped_files.write_mat, version="7.3"), "b.mat"),
        (mapped_files.write_npz, "a.npz"),
        (mapped_files.write_compound, "a.npy"),
        (mapped_files.write_table, "a.csv"),
        (partial(mapped_files.write_table, packed=True), "a.csv.gz"),
    ],
    "url": [(written.write_nwb, "a.nwb"), (lambda _, path: planted_archives.ibl(path), "ibl.nwb")],
    "deconvolved": [
        (planted_imaging.write_deconvolved, "a.csv"),
        (planted_imaging.write_deconvolved, "a.npy"),
    ],
    "counts": [(mapped_files.write_counts, "a.csv"), (mapped_files.write_counts, "a.npy")],
}
#: How files are read; by default without options of the format.
OPTIONS: dict[str, dict[str, Any]] = {
    "hdf5": mapped_files.MAPPED,
    "mapped": mapped_files.MAPPED,
    "counts": mapped_files.COUNTED,
    "deconvolved": {"bin_width": 1 / planted_imaging.FRAME_RATE, "threshold": 3},
    "plates": {"well": "A1"},
}
_SECONDS, _BYTES = 20, 1 << 30
_REFUSALS = (ValueError, OSError, ImportError)
#: What is in files outside of the folder, to which links lead.
_FOREIGN = "kept-from-strangers"
_EXTREMES = (b"\0" * 8, b"\xff" * 8, b"\xff\xff\xff\x7f", (2**63 - 1).to_bytes(8, "little"), b"\1")


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Content with one to four things done to it that happen to files, or that hackers do."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(0, len(data) + 1))
        stop = min(len(data), place + int(rng.integers(1, 64)))
        match rng.integers(0, 7):
            case 0:  # a flipped bit
                if place < len(data):
                    data[place] ^= 1 << int(rng.integers(0, 8))
            case 1:  # a stretch of noise
                data[place:stop] = rng.bytes(stop - place)
            case 2:  # the end is missing
                del data[place:]
            case 3:  # something in between is missing
                del data[place:stop]
            case 4:  # a stretch twice
                data[place:place] = data[place:stop]
            case 5:  # a number at its extreme
                extreme = _EXTREMES[rng.integers(0, len(_EXTREMES))]
                data[place : place + len(extreme)] = extreme
            case 6:  # a stretch from elsewhere
                other = int(rng.integers(0, len(data) + 1))
                data[place:stop] = data[other : other + stop - place]
    return bytes(data)


def mutate(seed: Path, target: Path, rng: np.random.Generator) -> None:
    """Copy ``seed``, a file or folder, to ``target`` with one of its files mutated or missing."""
    if seed.suffix == ".npz" and rng.random() < 0.8:  # else the archive's checksums refuse it
        _mutate_member(seed, target, rng)
        return
    if seed.is_file():
        target.write_bytes(mutated(seed.read_bytes(), rng))
        return
    shutil.copytree(seed, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    victim = files[rng.integers(0, len(files))]
    fate = rng.random()
    if fate < 0.05:
        victim.unlink()
    elif fate < 0.2:
        _link(victim, target, rng)
    else:
        victim.write_bytes(mutated(victim.read_bytes(), rng))


def _link(victim: Path, folder: Path, rng: np.random.Generator) -> None:
    """Put a link in place of a file, or of the folder that it is in, to one that lies outside."""
    outside = Path(tempfile.mkdtemp(dir=folder.parent))
    linked = victim if victim.parent == folder or rng.random() < 0.7 else victim.parent
    if linked.is_dir():
        shutil.copytree(linked, outside / linked.name)
    foreign = outside / victim.relative_to(linked.parent)
    if victim.suffix == ".npy":
        np.save(foreign, np.array([_FOREIGN] * 5))
    elif victim.suffix in (".tsv", ".csv"):
        rows = [f"{number}\t{_FOREIGN}" for number in range(10, 15)]
        foreign.write_text("\n".join(["cluster_id\tlayer", *rows, ""]))
    else:
        foreign.write_text(f"{_FOREIGN} = '{_FOREIGN}'\n")
    shutil.rmtree(linked) if linked.is_dir() else linked.unlink()
    linked.symlink_to(outside / linked.name)


def _mutate_member(seed: Path, target: Path, rng: np.random.Generator) -> None:
    with zipfile.ZipFile(seed) as old, zipfile.ZipFile(target, "w") as new:
        names = old.namelist()
        victim = names[rng.integers(0, len(names))]
        for name in names:
            content = old.read(name)
            new.writestr(name, mutated(content, rng) if name == victim else content)


def attempt(path: Path | str, **options: Any) -> str:
    """What becomes of a file: "read", "refused", or a description of the failure."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        recording = io.read(path, depth_reference="unstated", **options)
        summarise(recording)
        epochs = (recording.epochs.labels, recording.intervals)
        outcome, shown = "read", repr((recording.units.columns, recording.notes, epochs))
    except _REFUSALS as error:
        outcome, shown = "refused", str(error)
        if "\n" in str(error) or "MemoryError" in str(error) or not str(error):
            outcome = f"refused badly: {error!r}"
    except Exception:  # whatever else it is, the report names it
        outcome = shown = traceback.format_exc()
    if _FOREIGN in shown:
        outcome = f"foreign file: {shown}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return outcome if grown < _BYTES else f"took {grown / 1e9:.1f} GB"


def work(reader: str, numbers: range, keep: Path | None, reports: Connection) -> None:
    """Try the files of these numbers, reporting each one's outcome."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - libraries that print
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "seeds").mkdir()
        recording, server = written.small_recording(), HostileServer()
        seeds = [write(recording, Path(folder) / "seeds" / name) for write, name in SEEDS[reader]]
        for number in numbers:
            rng = np.random.default_rng([number, len(reader)])
            seed = seeds[rng.integers(0, len(seeds))]
            target = Path(folder) / f"{number}{''.join(seed.suffixes)}"
            mutate(seed, target, rng)
            if keep is not None:
                shutil.copy(target, keep) if target.is_file() else shutil.copytree(
                    target, keep / target.name, symlinks=True
                )
            place: Path | str = target
            if reader == "url":
                content = (target if rng.random() < 0.6 else seed).read_bytes()
                place = server.url(content, mutated, rng)
            reports.send(attempt(place, **OPTIONS.get(reader, {})))
            target.unlink() if target.is_file() else shutil.rmtree(target)


def fuzz(reader: str, first: int, n_files: int, keep: Path | None) -> dict[str, list[int]]:
    """Numbers of the files by outcome; a worker that dies or hangs costs one file."""
    outcomes: dict[str, list[int]] = {}
    number = first
    context = multiprocessing.get_context("forkserver")
    # Each worker is forked from a process that has imported most of what it needs.
    context.set_forkserver_preload(["microcolumn.io", "microcolumn.survey._summary"])
    bar = tqdm(total=n_files, desc=reader, disable=not sys.stderr.isatty(), leave=False)
    while number < first + n_files:
        reports, ours = multiprocessing.Pipe(duplex=False)
        numbers = range(number, first + n_files)
        worker = context.Process(target=work, args=(reader, numbers, keep, ours))
        worker.start()
        ours.close()
        patience = 120  # imports and the making of seeds
        while number < first + n_files:
            try:
                outcome = reports.recv() if reports.poll(patience) else "hung"
            except EOFError:
                worker.join()
                outcome = f"process died with exit code {worker.exitcode}"
            outcomes.setdefault(outcome, []).append(number)
            number += 1
            bar.update()
            patience = _SECONDS
            if outcome == "hung" or outcome.startswith("process died"):
                break
        worker.kill()
        worker.join()
    bar.close()
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", choices=list(SEEDS), action="append")
    parser.add_argument("--files", type=int, default=200, help="mutated files per reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--keep", type=Path, help="folder for copies of the mutated files")
    arguments = parser.parse_args()
    n_failures = 0
    for reader in arguments.reader or SEEDS:
        outcomes = fuzz(reader, arguments.first, arguments.files, arguments.keep)
        fine = Counter({name: len(outcomes.pop(name, [])) for name in ("read", "refused")})
        n_failed = arguments.files - fine.total()
        n_failures += n_failed
        print(f"{reader}: {fine['read']} read, {fine['refused']} refused, {n_failed} failed")
        for outcome, numbers in outcomes.items():
            print(f"  files {numbers[:5]} ({len(numbers)} in all): {outcome}")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
