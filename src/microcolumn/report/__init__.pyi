from ._page import page as page
from ._page import write as write
