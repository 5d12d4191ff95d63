from ._connection import StoreError as StoreError
from ._describe import (
    AnnealingResult as AnnealingResult,
    DataResult as DataResult,
    PatternsResult as PatternsResult,
)
from ._parts import MergeResult as MergeResult, collect as collect
from ._results import Results as Results, open as open
from ._run import run as run
from ._slurm import SlurmError as SlurmError
from ._submit import run_array_task as run_array_task, submit as submit
from ._workers import StudyError as StudyError
from .index import Condition as Condition, NotComputedError as NotComputedError
from .plan import (
    INSTANTANEOUS as INSTANTANEOUS,
    SPATIOTEMPORAL as SPATIOTEMPORAL,
    Experiment as Experiment,
    Plan as Plan,
    Source as Source,
)
from .progress import Status as Status, status as status
from .submission import Submission as Submission
