from .arrays import (
    ModelArrays as ModelArrays,
    PotentialArrays as PotentialArrays,
    TableArrays as TableArrays,
)
from .cpu.chains import GibbsChains as GibbsChains
from .cpu.exact import (
    ExactSums as ExactSums,
    exact_log_z as exact_log_z,
    exact_moments as exact_moments,
    exact_samples as exact_samples,
)
from .cpu.flip_changes import flip_changes as flip_changes
from .cpu.flip_sums import FlipSums as FlipSums
from .cpu.site_chains import (
    SiteChains as SiteChains,
    pattern_sums as pattern_sums,
    potential_chains as potential_chains,
    table_chains as table_chains,
    table_values as table_values,
)
from .cpu.sparse_words import SparseWords as SparseWords
from .loops.newest import (
    NewestMoments as NewestMoments,
    newest_log_odds as newest_log_odds,
    newest_moments as newest_moments,
)
from .loops.threads import one_blas_thread as one_blas_thread
