from ._connection import StoreError as StoreError
from ._describe import (
    AnnealingResult as AnnealingResult,
    DataResult as DataResult,
    PatternsResult as PatternsResult,
)
from ._index import Condition as Condition, NotComputedError as NotComputedError
from ._parts import MergeResult as MergeResult, collect as collect
from ._plan import (
    INSTANTANEOUS as INSTANTANEOUS,
    SPATIOTEMPORAL as SPATIOTEMPORAL,
    Experiment as Experiment,
    Plan as Plan,
    Source as Source,
)
from ._results import Results as Results, open as open
from ._run import run as run
from ._slurm import SlurmError as SlurmError
from ._status import Status as Status, status as status
from ._submission import Submission as Submission
from ._submit import run_array_task as run_array_task, submit as submit
from ._workers import StudyError as StudyError
