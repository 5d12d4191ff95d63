from ._base import PopulationModel as PopulationModel
from ._files import from_bytes as from_bytes, load as load
from ._history_glm import HistoryGLM as HistoryGLM
from ._independent import Independent as Independent
from ._ising import Ising as Ising
from ._rbm import RBM as RBM
from ._rival import Rival as Rival
from ._saving import to_bytes as to_bytes
from ._semi_rbm import SemiRBM as SemiRBM
from ._spec import ModelSpec as ModelSpec
from ._word_model import WordModel as WordModel
from ._words_estimator import WordsEstimator as WordsEstimator
