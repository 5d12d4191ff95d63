"""A study for readers: its report as text and JSON, and its page as HTML.

``mc.report.write(results, "study.html")`` writes the page, which opens in any browser without a
network; ``report_text`` and ``report_dict`` return the report.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
