from ._all import (
    FIGURES as FIGURES,
    PAPER as PAPER,
    FigureRequest as FigureRequest,
    available_figures as available_figures,
    draw_all as draw_all,
)
from ._bin_widths import bin_widths as bin_widths
from ._csd import csd as csd
from ._data import correlogram as correlogram, data as data
from ._fitting import annealing as annealing, penalties as penalties
from ._hidden_units import assemblies as assemblies, layers as layers
from ._opening import opening as opening
from ._parameters import parameters as parameters
from ._patterns import moments as moments, patterns as patterns
from ._presets import preset as preset
from ._scores import (
    forest as forest,
    gains as gains,
    parts as parts,
    ranking as ranking,
    windows as windows,
)
from ._spatiotemporal import spatiotemporal as spatiotemporal
from .captioned import CaptionedFigure as CaptionedFigure
from .conditions import FigureFunction as FigureFunction
from .planting import planted as planted
