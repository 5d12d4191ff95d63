"""The order of jobs: whatever can be done now, one split after the other."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from graphlib import TopologicalSorter

from ._jobs import Job


class ReadyJobs:
    """Jobs to do, of which each is given out once all that it starts from (``used``) are done.

    Splits come one after the other, so that soon something is known of all models; jobs of a split
    come in the order given.
    """

    def __init__(
        self, jobs: Mapping[str, Job], used: Callable[[Job], Collection[str]], done: Collection[str]
    ) -> None:
        names = list(dict.fromkeys(job.experiment for job in jobs.values()))
        self._order = {
            digest: (names.index(job.experiment), job.split or 0, k)
            for k, (digest, job) in enumerate(jobs.items())
        }
        left = {digest: job for digest, job in jobs.items() if digest not in done}
        self._left = TopologicalSorter(
            {d: {*used(job)}.difference(done) for d, job in left.items()}
        )
        self._left.prepare()
        self._ready: list[tuple[tuple[int, int, int], str]] = []

    def take(self) -> str | None:
        """The next job; None if none is ready, since all are given out or wait for others."""
        for digest in self._left.get_ready():
            heapq.heappush(self._ready, (self._order[digest], digest))
        return heapq.heappop(self._ready)[1] if self._ready else None

    def finish(self, digest: str) -> None:
        """Note that a job is done. What waits for one that failed is never given out."""
        self._left.done(digest)
