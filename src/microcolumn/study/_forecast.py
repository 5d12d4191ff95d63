"""How long a run still takes, from what its own jobs have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ._jobs import Job

Key = tuple[object, ...]


class Forecast:
    """Seconds that are left of some jobs, so many at once.

    Each is expected to take as long as finished ones of its kind, model, experiment, window and
    recording, or of as many of these, in this order, as are known.
    """

    def __init__(self, jobs: Iterable[Job], n_workers: int) -> None:
        self._left = Counter(map(_key, jobs))
        self._n_workers = n_workers
        self._finished: Counter[Key] = Counter()
        self._seconds: Counter[Key] = Counter()

    def finish(self, job: Job, seconds: float) -> None:
        """Note what a job has taken; one that failed says nothing of others."""
        self._left[_key(job)] -= 1
        for known in _shorter(_key(job)) if seconds > 0.0 else ():
            self._finished[known] += 1
            self._seconds[known] += seconds  # type: ignore[assignment]

    @property
    def seconds(self) -> float | None:
        """Of the clock, until all are done; None before the first is."""
        if not self._finished:
            return None
        total = sum(n * self._expected(key) for key, n in self._left.items())
        return total / max(1, min(self._n_workers, self._left.total()))

    def _expected(self, key: Key) -> float:
        known = next(each for each in _shorter(key) if each in self._finished)
        return self._seconds[known] / self._finished[known]


def _key(job: Job) -> Key:
    return (job.kind, job.model and job.model.model, job.experiment, job.window, job.recording)


def _shorter(key: Key) -> Iterator[Key]:
    """The key, then without its last entry, and so on, down to one that all have."""
    return (key[:n] for n in range(len(key), -1, -1))
