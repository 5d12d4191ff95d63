from .arrays import ModelArrays as ModelArrays, TableArrays as TableArrays
from .cpu.chains import GibbsChains as GibbsChains
from .cpu.flip_changes import flip_changes as flip_changes
from .cpu.flip_sums import FlipSums as FlipSums
from .cpu.newest_tables import newest_log_odds as newest_log_odds
from .cpu.sparse_words import SparseWords as SparseWords
from .cpu.subset_sums import sum_over_sets as sum_over_sets
from .cpu.tables import (
    TableChains as TableChains,
    pattern_sums as pattern_sums,
    table_values as table_values,
)
