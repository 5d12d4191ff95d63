from ._group_l1 import GroupL1 as GroupL1
from ._l1 import L1 as L1
from ._penalty import Penalty as Penalty
from ._smoothness import Smoothness as Smoothness
