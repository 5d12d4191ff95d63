from .by_bin_width import bin_widths as bin_widths
from .comparisons import ranking as ranking, window_gains as window_gains, windows as windows
from .conditions import contrast as contrast
from .convergence import annealing as annealing, annealing_error as annealing_error
from .energy_basins import basins as basins
from .gain_parts import gain_parts as gain_parts
from .gain_sources import (
    cumulative_gain as cumulative_gain,
    forest as forest,
    gain_by_activity as gain_by_activity,
    group_gain as group_gain,
)
from .heat import heat_capacity as heat_capacity
from .hidden import hidden_units as hidden_units, modes as modes
from .layer_shares import layers as layers
from .maps import couplings as couplings, hidden_map as hidden_map
from .moment_scatter import moments as moments
from .network import arcs as arcs, groups as groups
from .penalty_paths import penalties as penalties
from .planting import planted as planted
from .predictions import calibration as calibration, prediction as prediction
from .recorded import correlations as correlations, correlogram as correlogram, rates as rates
from .shank import assembly as assembly, probe as probe
from .time import activation as activation, raster as raster
from .unit_gains import gain as gain
from .word_patterns import patterns as patterns, synchrony as synchrony, zipf as zipf
