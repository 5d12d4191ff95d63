from ._penalties import L1 as L1, GroupL1 as GroupL1, Smoothness as Smoothness
from ._penalty import Penalty as Penalty
