"""Spike trains of files that Neo reads and of Neo's objects; signals are not read."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from ...errors import BadArgument, BadType, advice
from ...recording import Recording
from .._session import Choices, Session, to_recording
from .files import segments_in
from .trains import session_of, trains_of


def load(
    path: Path,
    *,
    io: str | None = None,
    block: int | None = None,
    segment: int | None = None,
    names: str | None = None,
) -> Session:
    """Spike trains of a file or folder in any format that Neo reads.

    Parameters
    ----------
    path : Path
        NeuroExplorer ``.nex`` and Plexon ``.plx`` are recognised by content, others by extension.
    io : str, optional
        Name of Neo's reader, such as ``"NeuralynxIO"``, if the format is not recognised.
    block, segment : int, optional
        Which block of a file that has several, and which of its segments; by default all
        segments, each an epoch. Segments that overlap are put one after another with 1 s between.
    names : {"name", "id"}, optional
        Whether units are called by their names in the file or by Neo's ids of their channels.

    Returns
    -------
    Session
        Scalar annotations of the trains are its columns. Spikes that the sorter gave to no unit,
        number 0 of a channel, are of quality ``"unsorted"``, the other units ``"sorted"``.
    """
    segments, notes = segments_in(path, io, block, names)
    if segment is not None:
        if not 0 <= segment < len(segments):
            raise BadArgument("segment", f"is {segment}", f"choose 0 to {len(segments) - 1}")
        segments = [segments[segment]]
    naming = advice("call units by Neo's ids with {names:id}")
    return session_of(segments, notes=notes, naming=naming)


def from_neo(
    trains: Any, *, ids: Iterable[Any] | None = None, **choices: Unpack[Choices]
) -> Recording:
    """Recording of Neo's spike trains.

    Parameters
    ----------
    trains : neo.Block, neo.Segment, or list of neo.SpikeTrain
        In any unit of time. Each segment is an epoch: the time that all its trains cover. If
        segments overlap, as trials do that all start at 0, each is moved to begin 1 s after the
        one before it ends. Trains of several segments are joined by the names of their units: the
        trains' names, or annotations ``unit_name``, ``unit_id`` or ``id``, or positions.
    ids : iterable of str, optional
        New names of the units in the order of the first segment.
    **choices
        ``depth_reference``, ``layers``, ``quality`` and ``epochs`` as for :func:`microcolumn.read`;
        scalar annotations, such as ``depth`` and ``layer``, are the columns of the table of units.

    Examples
    --------
    >>> import neo
    >>> train = neo.SpikeTrain([0.1, 0.4], units="s", t_stop=1.0)
    >>> from_neo([train]).epochs.duration_s
    1.0
    """
    session = session_of(list(map(trains_of, _segments(trains))), ids=ids)
    return to_recording(session, source="Neo objects", **choices)


def _segments(trains: Any) -> list[Any]:
    import neo

    if isinstance(trains, neo.Block):
        return [segment.spiketrains for segment in trains.segments]
    if isinstance(trains, neo.Segment):
        return [trains.spiketrains]
    if isinstance(trains, neo.SpikeTrain):
        return [[trains]]
    if isinstance(trains, Iterable) and not isinstance(trains, str):
        return [list(trains)]
    problem = f"is of type {type(trains).__name__}"
    raise BadType("trains", problem, "pass a neo.Block, a neo.Segment or a list of neo.SpikeTrain")
