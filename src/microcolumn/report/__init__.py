"""The report page of a study: one HTML file with the answer first, figures, tables and explorers.

``mc.report.write(results, "study.html")`` writes it; it opens in any browser, without a network.
"""

from .page import page, write

__all__ = ["page", "write"]
