from ._plan import (
    INSTANTANEOUS as INSTANTANEOUS,
)
from ._plan import (
    SPATIOTEMPORAL as SPATIOTEMPORAL,
)
from ._plan import (
    Experiment as Experiment,
)
from ._plan import (
    Plan as Plan,
)
from ._plan import (
    Source as Source,
)
from ._report import report_dict as report_dict
from ._report import report_text as report_text
from ._results import Results as Results
from ._results import open as open
from ._run import run as run
from ._status import Status as Status
from ._status import status as status
from ._store_errors import StoreError as StoreError
from ._workers import StudyError as StudyError
