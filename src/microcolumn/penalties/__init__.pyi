from ._penalty import L1 as L1, GroupL1 as GroupL1, Penalty as Penalty, Smoothness as Smoothness
