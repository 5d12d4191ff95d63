from ._alternative import AlternativeModel as AlternativeModel
from ._base import PopulationModel as PopulationModel
from ._cascade import CascadedLogistic as CascadedLogistic
from ._common_drive import CommonDrive as CommonDrive
from ._dichotomized_gaussian import DichotomizedGaussian as DichotomizedGaussian
from ._dirichlet_process import DirichletProcess as DirichletProcess
from ._driven import Driven as Driven
from ._files import (
    from_bytes as from_bytes,
    load as load,
    model_class as model_class,
    model_named as model_named,
)
from ._history_glm import HistoryGLM as HistoryGLM
from ._independent import Independent as Independent
from ._ising import Ising as Ising
from ._k_pairwise import KPairwise as KPairwise
from ._markov import HiddenMarkovModes as HiddenMarkovModes
from ._mixture import BernoulliMixture as BernoulliMixture
from ._population_tracking import PopulationTracking as PopulationTracking
from ._projection_potentials import ProjectionPotentials as ProjectionPotentials
from ._random_projections import (
    RandomProjections as RandomProjections,
    ReshapedProjections as ReshapedProjections,
)
from ._rbm import RBM as RBM, GaussianRBM as GaussianRBM
from ._saving import to_bytes as to_bytes
from ._semi_rbm import SemiRBM as SemiRBM
from ._semiparametric_pairwise import SemiparametricPairwise as SemiparametricPairwise
from ._word_model import WordModel as WordModel
from ._words_estimator import WordsEstimator as WordsEstimator
from .spec import ModelSpec as ModelSpec
