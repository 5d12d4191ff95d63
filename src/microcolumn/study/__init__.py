"""Studies: plan, jobs, store and results of a comparison of models.

>>> from microcolumn.study import Plan
>>> plan = Plan.of({"column": "B4"}, n_splits=2)
>>> [experiment.name for experiment in plan.experiments]
['instantaneous']

``run(plan, "study.db")`` computes what the store does not have yet; ``open("study.db")`` gives the
results, also while a run is at work; ``status("study.db")`` says how far it is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
