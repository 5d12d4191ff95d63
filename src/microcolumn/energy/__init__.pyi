from ._free_term import FreeTerm as FreeTerm
from ._hidden_unit import (
    BERNOULLI as BERNOULLI,
    GAUSSIAN as GAUSSIAN,
    HIDDEN_UNITS as HIDDEN_UNITS,
    HiddenUnit as HiddenUnit,
)
from ._potentials import (
    PairwiseResponse as PairwiseResponse,
    Ramps as Ramps,
    tail_knots as tail_knots,
)
from ._soft_tables import SoftTables as SoftTables
from ._tables import (
    Inputs as Inputs,
    Tables as Tables,
    all_patterns as all_patterns,
)
from ._words import (
    hidden_mean as hidden_mean,
    log_symmetric as log_symmetric,
    log_weight as log_weight,
    number_active as number_active,
    term_moments as term_moments,
)
