from ._plan import (
    INSTANTANEOUS as INSTANTANEOUS,
    SPATIOTEMPORAL as SPATIOTEMPORAL,
    Experiment as Experiment,
    Plan as Plan,
    Source as Source,
)
from ._results import Results as Results, open as open
from ._run import run as run
from ._status import Status as Status, status as status
from ._store_errors import StoreError as StoreError
from ._workers import StudyError as StudyError
