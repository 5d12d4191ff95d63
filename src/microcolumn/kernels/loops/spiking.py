"""Spikes of point processes whose intensity depends on drives and on the spikes themselves.

Every cell integrates its intensity; it spikes when the integral since its last spike reaches a
unit exponential draw (the time-rescaling theorem, Brown et al. 2002, Neural Computation 14). This
is exact for an intensity that is constant within a step, finds the time within the step, and
takes one random number per spike instead of one per step.

A seed gives the same bits everywhere: plain loops in a fixed order, no threads, and whatever
follows from a spike follows from its sample on the clock. Otherwise a difference in the last digit
of an exponential, between two mathematical libraries say, would grow by a factor of ten or more
with each spike, since a time is a remainder divided by a small intensity.
"""

import math

import numpy as np

from ..compile import kernel, subroutine

#: Synaptic inputs (log intensity) below this no longer change a double.
_NEGLIGIBLE = 1e-16
#: Clock that spikes lie on: 30 kHz.
SAMPLES_PER_MS = 30.0
#: Milliseconds after a spike from which refractoriness and bursts are over.
RECOVERED_MS = 30.0


# Intensities (per ms) exp(level + gains . drives + movie), per frame and cell.
# Cost per element: one exponential and one multiply-add per drive.
# Pinned by tests/kernels/loops/test_spiking.py.
@kernel
def intensities(level, gains, drives, movie, first_knot, frames_per_knot, out):
    """Fill ``out`` (n_frames, n_cells) with the intensities of a block of frames.

    ``level`` (n_cells,) is the log intensity per ms without drives, ``gains`` (n_cells, n_drives)
    what a unit of each of the ``drives`` (n_drives, n_frames) adds to it. ``movie`` (n_knots,
    n_cells) is what the movie adds at its knots, linear in between; after the last knot the movie
    begins anew. The block starts at ``first_knot``, counted from the start of the recording.
    """
    n_knots = movie.shape[0]
    for frame in range(out.shape[0]):
        before = (first_knot + frame // frames_per_knot) % n_knots
        after = (before + 1) % n_knots
        part = (frame % frames_per_knot) / frames_per_knot
        for cell in range(out.shape[1]):
            total = level[cell] + (1.0 - part) * movie[before, cell] + part * movie[after, cell]
            for drive in range(gains.shape[1]):
                total += gains[cell, drive] * drives[drive, frame]
            out[frame, cell] = math.exp(total)


@subroutine
def _after_spike(age, dead, recovery, burst, burst_decay):
    """Factor on the intensity, and intensity of bursting, ``age`` ms after a cell's spike."""
    if age < dead:
        return 0.0, 0.0
    factor = 1.0 - math.exp(-(age - dead) / recovery)
    return factor, burst * math.exp(-(age - dead) / burst_decay)


# Spikes of coupled cells over a block of 1 ms steps, as (cell, sample of a 30 kHz clock).
# Cost per (step, cell): about ten operations; exponentials only near volleys, inputs and spikes.
# Pinned by tests/kernels/loops/test_spiking.py::test_the_kernel_agrees_with_its_definition.
@kernel
def spike(base, volleys, volley_gains, cells, synapses, first_target, state, rng, out):
    """Advance all cells by one block and return the number of spikes written to ``out``.

    Parameters
    ----------
    base : (n_frames, n_cells)
        Intensity per ms of each frame, from :func:`intensities`.
    volleys, volley_gains : float32 (n_steps, n_volleys), (n_cells, n_volleys)
        Volley drives in steps of 1 ms, a whole number of them per frame, and their gains.
    cells : (5, n_cells)
        Largest intensity that drives and inputs can cause (per ms), dead time (ms, at least 1),
        time constant of recovery (ms), intensity of bursting right after the dead time (per ms),
        time constant of its decay (ms).
    synapses, first_target : (n_synapses, 3), (n_cells + 1,)
        Target cell, delay (whole ms, 1 to rows of the queue less 1) and log intensity, sorted by
        source cell; the rows of source cell n begin at ``first_target[n]``.
    state : tuple
        What is carried from block to block and changed here: steps so far, shape (1,); integral
        left to the next spike, time of the last spike in ms and synaptic input, each (n_cells,);
        queue of inputs under way (n_slots, n_cells); factor by which inputs decay per step.
    rng : numpy.random.Generator
    out : int64 (n_steps * n_cells, 2)
        Cell and sample of each spike, in time order up to the order within a step.
    """
    clock, left, last, inputs, queue, decay = state
    n_steps, n_cells = volleys.shape[0], base.shape[1]
    steps_per_frame = n_steps // base.shape[0]
    n_spikes = 0
    for step in range(n_steps):
        now = clock[0]
        slot = now % queue.shape[0]
        frame = step // steps_per_frame
        in_volley = False
        for volley in range(volleys.shape[1]):
            in_volley |= volleys[step, volley] != 0
        for cell in range(n_cells):
            extra = inputs[cell] * decay + queue[slot, cell]
            queue[slot, cell] = 0.0
            inputs[cell] = extra if abs(extra) > _NEGLIGIBLE else 0.0
            if in_volley:
                for volley in range(volleys.shape[1]):
                    extra += volley_gains[cell, volley] * volleys[step, volley]
            intensity = base[frame, cell]
            if extra != 0.0:
                intensity *= math.exp(extra)
            intensity /= 1.0 + intensity / cells[0, cell]
            age = now - last[cell]
            if age < RECOVERED_MS:
                factor, burst = _after_spike(
                    age, cells[1, cell], cells[2, cell], cells[3, cell], cells[4, cell]
                )
                intensity = intensity * factor + burst
            if intensity < left[cell]:
                left[cell] -= intensity
                continue
            sample = np.int64((now + left[cell] / intensity) * SAMPLES_PER_MS)
            out[n_spikes, 0] = cell
            out[n_spikes, 1] = sample
            n_spikes += 1
            last[cell] = sample / SAMPLES_PER_MS
            left[cell] = rng.standard_exponential()
            for row in range(first_target[cell], first_target[cell + 1]):
                arrival = (now + np.int64(synapses[row, 1])) % queue.shape[0]
                queue[arrival, np.int64(synapses[row, 0])] += synapses[row, 2]
        clock[0] += 1
    return n_spikes
