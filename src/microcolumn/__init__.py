"""Models of how a recorded population of neurons works together.

From a recording to models that are compared on held-out words, their groups, and a file:

>>> import microcolumn as mc
>>> recording = mc.simulate.microcolumn(n_units=6, minutes=1)  # or mc.read("session.nwb")
>>> words = recording.bin(0.020)  # of a TsGroup mc.Recording.from_pynapple(group).bin(0.020)
>>> train, test = words.split()
>>> tuned = mc.tune([mc.Ising(), mc.RBM(2), mc.SemiRBM(2)], train)
>>> comparison = mc.compare(tuned, test)  # print(comparison), comparison.to_dataframe()
>>> model = tuned.models["RBM 2"]
>>> ax = mc.plot.hidden_units(model, test)  # the groups; of pairs mc.plot.couplings
>>> groups = mc.evaluate.assemblies([model, *mc.evaluate.refits(model, train)], test)
>>> model.save("rbm.safetensors")
>>> mc.load("rbm.safetensors").score_samples(test).shape  # nats, of each bin
(1500,)

Data: ``io``, ``simulate``, ``survey``. Models and what they are worth: ``models``, ``evaluate``,
``plot``. Whole studies: ``study``, ``figures``, ``report``. For those who write models: ``energy``,
``partition``, ``objectives``, ``penalties``, ``solvers``.
"""

from importlib import import_module
from typing import Any

from . import conversions, renamed

__version__ = "0.1.0"

_import, __dir__, __all__ = renamed.attach(
    __name__,
    __file__,
    {
        "excess_log_likelihood": "microcolumn.score",
        "choose": "microcolumn.tune",
        "choose_l1": "microcolumn.tune",
        "fit_best": "microcolumn.tune",
        "Universal": "microcolumn.models.DirichletProcess",
        "lift": "microcolumn.score(model, words, baseline=model.base_)",
    },
)
#: Subpackages whose names used to stand here.
_MOVED_TO = ("evaluate", "models", "survey", "partition")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; say where an old one is now."""
    if name not in __all__ and not name.startswith("_"):
        for place in _MOVED_TO:
            if name in import_module(f"{__name__}.{place}").__all__:
                raise AttributeError(f"microcolumn.{name} is microcolumn.{place}.{name} now")
    return _import(name)


conversions.provider = lambda: import_module(f"{__name__}.io")
