from ._csv import write_tables as write_tables
from ._html import page as page, write as write
from ._json import report_dict as report_dict
from .text import report_text as report_text
