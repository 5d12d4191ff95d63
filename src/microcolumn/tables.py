"""Results that are tables: their rows as dictionaries, and as a DataFrame where pandas is there."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    import pandas


class AsTable:
    """Base of what is a table: one row for each entry of its columns."""

    __slots__ = ()
    #: Columns, all of one length: names of attributes, or pairs of a name and its attribute. Or the
    #: attribute that has the rows.
    _columns: ClassVar[tuple[str | tuple[str, str], ...] | str] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per row, by the name of the column; columns that are None are left out."""
        if isinstance(self._columns, str):
            return [asdict(row) for row in getattr(self, self._columns)]
        pairs = [(each, each) if isinstance(each, str) else each for each in self._columns]
        columns = {name: getattr(self, attribute) for name, attribute in pairs}
        known = {name: np.asarray(v).tolist() for name, v in columns.items() if v is not None}
        return [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            problem = "to_dataframe needs pandas: pip install pandas, or use to_rows()"
            raise ImportError(problem) from None
        return pandas.DataFrame(self.to_rows())
