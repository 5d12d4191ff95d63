"""The report page of a study: one HTML file with the answer first, figures, tables and explorers.

``mc.report.write(results, "study.html")`` writes it; it opens in any browser, without a network.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
