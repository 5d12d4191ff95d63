from ._page import page as page, write as write
