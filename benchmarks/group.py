"""How many hidden units stay alive, and what they score, by L1 and by the group penalty.

    python benchmarks/group.py

An RBM of 25 hidden units, fitted by minimum probability flow to half of the words of the simulated
recording B4; the other half is scored.
"""

from __future__ import annotations

from machine import print_machine

import microcolumn as mc

SETTINGS = (
    *({"l1": l1} for l1 in (5e-4, 1e-3, 2e-3)),
    *({"l1": 0.0, "group_l1": group_l1} for group_l1 in (1e-4, 2e-4, 5e-4, 1e-3)),
)


def main() -> None:
    print_machine()
    train, test = mc.simulate.preset("B4").bin(0.020).split(0.5, by="words", random_state=0)
    for settings in SETTINGS:
        model = mc.RBM(n_hidden=25, objective="mpf", **settings).fit(train)
        named = ", ".join(f"{name} {value:g}" for name, value in settings.items())
        score = mc.score(model, test)
        print(f"{named:24} {model.n_live_hidden_:2} alive, {score} held out")


if __name__ == "__main__":
    main()
