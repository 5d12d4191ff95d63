"""The average response to flashes over depth, and the current sources that explain it."""

import contextlib
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage

from ..errors import BadArgument, BadInput, name_list
from ..io import LFP
from ..io.failures import as_bad_file
from ..units import downwards
from ..validation import Floats, check_entries, one_of, real_array

#: Conductivity of cortex in S/m (Goto et al. 2010), the default of Elephant's 1-D methods.
CONDUCTIVITY_S_PER_M = 0.3

#: Least number of contacts: a sink, a source on either side, and a contact beyond each source.
MIN_DEPTHS = 5


@dataclass(frozen=True, slots=True, eq=False)
class FlashResponse:
    """Average potential around a flash, contacts in order from superficial to deep.

    Attributes
    ----------
    time_s : ndarray, shape (n_times,)
        From the flash.
    depth_um, depth_reference : ndarray, shape (n_depths,), and str
        Depths of the contacts, and what they are measured from.
    mean_mv : ndarray, shape (n_depths, n_times)
        Average over flashes, minus its mean before the flash.
    plus_minus_mv : ndarray, shape (n_depths, n_times)
        Average with alternating signs, in which the response cancels and the noise of
        ``mean_mv`` stays (Schimmel 1967); zero for a single flash.
    n_flashes : int
        Flashes averaged.
    notes : tuple of str
        What was left out or averaged.
    """

    time_s: Floats
    depth_um: Floats
    depth_reference: str
    mean_mv: Floats
    plus_minus_mv: Floats
    n_flashes: int
    notes: tuple[str, ...]


def flash_response(
    lfp: LFP, flashes_s: ArrayLike, around_s: tuple[float, float] = (-0.05, 0.2)
) -> FlashResponse:
    """Average the potential around flashes; only the windows around them are read.

    Parameters
    ----------
    lfp : LFP
        Contacts in any order; those of equal depth are averaged.
    flashes_s : array_like, shape (n_flashes,)
        Times of the flashes in seconds, on the clock of the LFP.
    around_s : (float, float)
        Seconds from the flash; it starts before and ends after it. Flashes without all of it in the
        recording are left out, with a note.

    Examples
    --------
    >>> lfp = mc.io.LFP(np.zeros((1000, 5)), 1000.0, 100.0 * np.arange(5), "surface")
    >>> flash_response(lfp, [0.2, 0.5]).n_flashes
    2
    """
    before, after = _window(around_s, lfp.sampling_rate_hz)
    flashes = real_array("flashes_s", flashes_s, "pass one time in seconds per flash")
    if flashes.ndim != 1 or flashes.size == 0:
        raise BadArgument("flashes_s", f"has shape {flashes.shape}", "pass one or more times")
    check_entries("flashes_s", flashes, np.isfinite(flashes), "leave this flash out")
    firsts = np.rint((flashes - lfp.start_s) * lfp.sampling_rate_hz) - before
    inside = (firsts >= 0) & (firsts + before + after <= lfp.n_samples)
    if not inside.any():
        end_s = lfp.start_s + lfp.n_samples / lfp.sampling_rate_hz
        window = f"none of the {flashes.size} flashes ({flashes.min():g} to {flashes.max():g} s)"
        inside_of = f"{lfp.source} ({lfp.start_s:g} to {end_s:g} s)"
        raise BadInput(f"{window} lies with its window inside {inside_of}", "use its clock, in s")
    depths, contact_of_channel, notes = _contacts(lfp)
    if not inside.all():
        left_out = name_list(f"{time:g} s" for time in flashes[~inside])
        notes = (*notes, f"flashes whose window leaves the recording, left out: {left_out}")
    total = np.zeros((before + after, lfp.n_channels))
    alternating = np.zeros_like(total)
    n_flashes = int(inside.sum())
    for k, first in enumerate(firsts[inside]):
        part = lfp.stretch(int(first), int(first) + before + after)
        _check_finite(part, lfp, int(first))
        total += part
        if k < n_flashes - n_flashes % 2:  # Signs must come in pairs for the response to cancel.
            alternating += (-1.0) ** k * part
    return FlashResponse(
        time_s=(np.arange(before + after) - before) / lfp.sampling_rate_hz,
        depth_um=depths,
        depth_reference=lfp.depth_reference,
        mean_mv=_by_depth(total / n_flashes, contact_of_channel, before),
        plus_minus_mv=_by_depth(alternating / n_flashes, contact_of_channel, before),
        n_flashes=n_flashes,
        notes=notes,
    )


def current_source_density(
    potential_mv: ArrayLike,
    depth_um: ArrayLike,
    *,
    method: str | None = None,
    smoothing_um: float = 50.0,
    source_radius_um: float = 500.0,
) -> tuple[Floats, Floats, str]:
    """Current source density along a linear probe.

    Parameters
    ----------
    potential_mv : array_like, shape (n_depths, n_times)
        Potentials at the contacts.
    depth_um : array_like, shape (n_depths,)
        Depths of the contacts in µm, increasing or decreasing.
    method : {"StandardCSD", "KCSD1D"}, optional
        By default ``"StandardCSD"`` for evenly spaced contacts, since the second difference
        assumes no size of the sources and is independent of the reference electrode; else
        ``"KCSD1D"`` of Elephant (Potworowski et al. 2012), which takes contacts anywhere and
        chooses its smoothing by cross-validation. (Delta-iCSD fails for contacts that lie close
        together.)
    smoothing_um : float
        Standard deviation of a Gaussian filter over depth, since second differences magnify the
        noise of single contacts. 0 for none.
    source_radius_um : float
        Radius of the disks of current that KCSD1D assumes.

    Returns
    -------
    grid_um : ndarray, shape (n_grid,)
        Evenly spaced depths, in the direction of ``depth_um``.
    csd : ndarray, shape (n_grid, n_times)
        In µA/mm³, sinks negative.
    method : str

    Examples
    --------
    >>> potential_mv = np.sin(np.arange(20.0))[:, None]
    >>> depth_um, csd, method = current_source_density(potential_mv, 50.0 * np.arange(20.0))
    >>> csd.shape[0] == depth_um.size
    True
    """
    potential = real_array("potential_mv", potential_mv, "pass one row per contact")
    depths = real_array("depth_um", depth_um, "pass one depth in µm per contact")
    if potential.ndim != 2 or depths.shape != potential.shape[:1]:
        problem = f"has shape {potential.shape} and depth_um {depths.shape}"
        raise BadArgument("potential_mv", problem, "pass one row and one depth per contact")
    if not 0.0 <= smoothing_um < np.inf or not 0.0 < source_radius_um < np.inf:
        problem = f"is {smoothing_um} and source_radius_um {source_radius_um}"
        raise BadArgument("smoothing_um", problem, "pass finite lengths in µm, the radius above 0")
    spacing = np.abs(np.diff(depths))
    in_order = abs(np.sign(np.diff(depths)).sum()) == depths.size - 1
    if depths.size < MIN_DEPTHS or not in_order:
        problem = f"{depths.size} contacts are {'' if in_order else 'not '}at depths in order"
        raise BadInput(problem, f"current sources need {MIN_DEPTHS} or more, in order of depth")
    even = bool(np.allclose(spacing, spacing.mean(), rtol=1e-3))
    methods = ("StandardCSD", "KCSD1D")
    chosen = methods[not even] if method is None else one_of("method", method, methods)
    if chosen == "KCSD1D":
        grid, csd = _kernel(np.abs(depths - depths[0]), potential, source_radius_um)
    elif not even:
        problem = f"contacts are {spacing.min():g} to {spacing.max():g} µm apart, not evenly spaced"
        raise BadInput(problem, 'use method="KCSD1D"')
    else:
        grid, csd = _standard(potential, float(spacing.mean()))
    if smoothing_um > 0.0:
        width = smoothing_um / (grid[1] - grid[0])
        csd = ndimage.gaussian_filter1d(csd, width, axis=0, mode="reflect")  # Keeps the total.
    return depths[0] + np.sign(depths[-1] - depths[0]) * grid, csd, chosen


def _standard(potential: Floats, spacing_um: float) -> tuple[Floats, Floats]:
    """Second difference over depth, the outermost contacts repeated (Vaknin et al. 1988)."""
    padded = np.pad(potential, ((1, 1), (0, 0)), mode="edge")
    csd = -CONDUCTIVITY_S_PER_M * np.diff(padded, 2, axis=0) / spacing_um**2
    return spacing_um * np.arange(len(potential), dtype=np.float64), 1e6 * csd


def _kernel(depth_um: Floats, potential: Floats, radius_um: float) -> tuple[Floats, Floats]:
    """KCSD1D of Elephant on a grid about ten times finer than the contacts.

    The estimate is linear in the potentials and the cross-validation uses only sums of squares
    over time, so principal components instead of samples give the same result with fewer columns.
    """
    with as_bad_file("this current source density", "csd"):
        import neo
        import quantities as pq
        from elephant.current_source_density import estimate_csd

    components, sizes, course = np.linalg.svd(potential, full_matrices=False)
    spacing_mm = float(np.median(np.diff(depth_um))) / 1e3
    n_grid = round(np.ptp(depth_um) / (100.0 * spacing_mm)) + 1
    # The estimate does not depend on the sampling rate.
    signal = neo.AnalogSignal((components * sizes).T, units=pq.mV, sampling_rate=1.0 * pq.kHz)
    with contextlib.redirect_stdout(io.StringIO()):  # It prints its progress.
        csd = estimate_csd(
            signal,
            coordinates=(depth_um * pq.um)[:, np.newaxis],
            method="KCSD1D",
            sigma=CONDUCTIVITY_S_PER_M,
            h=radius_um / 1e3,
            R_init=spacing_mm,
            gdx=np.ptp(depth_um) / 1e3 / (n_grid + 0.5),  # It rounds the number of steps down.
            lambdas=np.logspace(0, -10, 11),  # Chosen from by cross-validation.
        )
    return np.ravel(csd.annotations["x_coords"]) * 1e3, csd.magnitude.T @ course


def _window(around_s: tuple[float, float], rate_hz: float) -> tuple[int, int]:
    """Samples before the flash and from it on."""
    limits = real_array("around_s", around_s, "pass (start, stop) in seconds from the flash")
    if limits.shape != (2,) or not np.isfinite(limits).all() or not limits[0] < 0.0 < limits[1]:
        remedy = "pass (start, stop) in seconds from the flash, start before it and stop after it"
        raise BadArgument("around_s", f"is {around_s}", remedy)
    return max(2, round(-limits[0] * rate_hz)), max(1, round(limits[1] * rate_hz))


def _contacts(lfp: LFP) -> tuple[Floats, NDArray[np.intp], tuple[str, ...]]:
    """Distinct depths from superficial to deep, which of them each channel has, and notes."""
    down = downwards(lfp.depth_reference)
    unknown = np.flatnonzero(~np.isfinite(lfp.depth_um))
    if unknown.size:
        problem = f"channel {unknown[0]} of {lfp.source} has depth {lfp.depth_um[unknown[0]]}"
        raise BadInput(problem, "state it or leave the channel out with take()")
    depths, contact = np.unique(down * lfp.depth_um, return_inverse=True)
    if depths.size < MIN_DEPTHS:
        problem = f"{lfp.source} has {depths.size} contacts at distinct depths"
        raise BadInput(problem, f"current sources need {MIN_DEPTHS} or more")
    n, merged = lfp.n_channels, depths.size < lfp.n_channels
    note = f"{n} channels lie at {depths.size} depths; those of equal depth are averaged"
    return down * depths, contact, (note,) * merged


def _check_finite(part: Floats, lfp: LFP, first: int) -> None:
    bad = np.argwhere(~np.isfinite(part))
    if not bad.size:
        return
    row, channel = bad[0].tolist()
    time_s = lfp.start_s + (first + row) / lfp.sampling_rate_hz
    problem = f"channel {channel} of {lfp.source} holds {part[row, channel]} at {time_s:g} s"
    raise BadInput(problem, "leave it out with take()")


def _by_depth(average: Floats, contact: NDArray[np.intp], n_before: int) -> Floats:
    """Average at each depth minus its mean before the flash, shape (n_depths, n_times)."""
    summed = np.zeros((contact.max() + 1, average.shape[0]))
    np.add.at(summed, contact, average.T)
    by_depth = summed / np.bincount(contact)[:, np.newaxis]
    by_depth -= by_depth[:, :n_before].mean(axis=1, keepdims=True)
    return by_depth
