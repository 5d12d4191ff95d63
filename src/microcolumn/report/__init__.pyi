from ._page import page as page, write as write
from ._text import report_dict as report_dict, report_text as report_text
