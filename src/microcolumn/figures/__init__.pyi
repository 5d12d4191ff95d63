from ._all import (
    FIGURES as FIGURES,
    Wanted as Wanted,
    draw_all as draw_all,
    wanted as wanted,
)
from ._annealing import annealing as annealing
from ._captioned import CaptionedFigure as CaptionedFigure
from ._conditions import Drawing as Drawing
from ._correlograms import correlogram as correlogram
from ._csd import csd as csd
from ._data import data as data
from ._likelihood import likelihood as likelihood
from ._parameters import parameters as parameters
from ._patterns import patterns as patterns
from ._presets import preset as preset
from ._spatiotemporal import spatiotemporal as spatiotemporal
from ._windows import windows as windows
