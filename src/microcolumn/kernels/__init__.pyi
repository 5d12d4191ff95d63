from .arrays import ModelArrays as ModelArrays
from .cpu.chains import GibbsChains as GibbsChains
from .cpu.flip_changes import flip_changes as flip_changes
from .cpu.flip_sums import FlipSums as FlipSums
from .cpu.newest_tables import newest_log_odds as newest_log_odds
from .cpu.word_sums import SparseWords as SparseWords
