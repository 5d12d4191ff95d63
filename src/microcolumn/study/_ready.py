"""The order of jobs: whatever can be done now, one split after the other."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping

from ._jobs import Job


class ReadyJobs:
    """Jobs that are left, of which each is given out once all that it starts from are done.

    Splits come one after the other, so that soon something is known of all models; jobs of a split
    come in the order given.

    Parameters
    ----------
    jobs : mapping of str to Job
        All jobs by digest.
    used : callable
        Job -> digests of those that it starts from.
    done : collection of str
        Digests of finished jobs.
    """

    def __init__(
        self, jobs: Mapping[str, Job], used: Callable[[Job], Collection[str]], done: Collection[str]
    ) -> None:
        places = {
            name: k for k, name in enumerate(dict.fromkeys(j.experiment for j in jobs.values()))
        }
        self._order = {
            digest: (places[job.experiment], job.split or 0, k)
            for k, (digest, job) in enumerate(jobs.items())
        }
        self._waits_for: dict[str, set[str]] = {}
        self._users: dict[str, list[str]] = {}
        self._ready: list[tuple[tuple[int, int, int], str]] = []
        for digest, job in jobs.items():
            if digest in done:
                continue
            self._waits_for[digest] = set(used(job)) - set(done)
            for other in self._waits_for[digest]:
                self._users.setdefault(other, []).append(digest)
            if not self._waits_for[digest]:
                self._add(digest)

    def take(self) -> str | None:
        """The next job; None if none is ready, since all are given out or wait for others."""
        return heapq.heappop(self._ready)[1] if self._ready else None

    def finish(self, digest: str) -> None:
        """Note that a job is done. What waits for one that failed is never given out."""
        for user in self._users.pop(digest, ()):
            self._waits_for[user].discard(digest)
            if not self._waits_for[user]:
                self._add(user)

    def _add(self, digest: str) -> None:
        heapq.heappush(self._ready, (self._order[digest], digest))
