"""The whole experiment: plan, jobs, store and results of a comparison of models.

>>> plan = Plan.of({"column": "B4"}, n_splits=2)
>>> [experiment.name for experiment in plan.experiments]
['instantaneous']

``run(plan, "study.db")`` computes what the store does not have yet; ``open("study.db")`` gives the
results, also while a run is at work; ``status("study.db")`` tells how far it is.
"""

from .plan import INSTANTANEOUS, SPATIOTEMPORAL, Experiment, Plan, Source
from .report import report_dict, report_text
from .results import Results
from .run import run
from .status import Status, status
from .store_errors import StoreError
from .workers import StudyError

open = Results  # mc.study.open("study.db") reads as what it does

__all__ = [
    "INSTANTANEOUS",
    "SPATIOTEMPORAL",
    "Experiment",
    "Plan",
    "Results",
    "Source",
    "Status",
    "StoreError",
    "StudyError",
    "open",
    "report_dict",
    "report_text",
    "run",
    "status",
]
