"""Which units of two recordings are the same cells, from the table that UnitMatch writes."""

from collections import Counter
from pathlib import Path

from ..errors import BadArgument, BadFile, in_file, name_list
from ..validation import whole_number
from ._tables import open_table

#: Columns of the unique ids of the two units of a row: Python of 2024, where UID1 is the unit
#: itself, Python since, MATLAB.
_UIDS = {"UID int 1": "UM UID int 2", "UID 1": "UID 2", "UID1": "UID2"}


def read_matches(
    path: str | Path, *, first: int = 1, second: int = 2, match_by: str | None = None
) -> dict[str, str]:
    r"""Units of two recordings that UnitMatch found to be the same cells.

    Parameters
    ----------
    path : str or Path
        ``MatchTable.csv`` as UnitMatch writes it in Python, or its MATLAB table written as CSV.
    first, second : int
        Recordings, as ``RecSes`` numbers them, from 1.
    match_by : str, optional
        Column of the unique id of a row's first unit, such as ``"UID Cons 1"`` for conservative
        matches; by default that of the intermediate ones.

    Returns
    -------
    dict of str to str
        Ids of units of the second recording by those of the first. Cells that are several units of
        a recording are left out.

    Examples
    --------
    >>> header = "ID1,ID2,RecSes 1,RecSes 2,UID 1,UID 2"
    >>> _ = Path("MatchTable.csv").write_text(f"{header}\n7,4,1,2,0,0\n8,4,1,2,1,0\n")
    >>> read_matches("MatchTable.csv")
    {'7': '4'}
    """
    wanted = [whole_number("first", first, least=1), whole_number("second", second, least=1)]
    if wanted[0] == wanted[1]:
        raise BadArgument("second", f"is {second}, as first is", "name two recordings")
    matched = []
    with in_file(path), open_table(Path(path)) as (header, rows):
        uid = match_by or next((name for name in _UIDS if name in header), "UID 1")
        names = [
            name if name in header else name.replace(" ", "") for name in ("RecSes 1", "RecSes 2")
        ]
        names += ["ID1", "ID2", uid, _UIDS.get(uid, uid.replace("1", "2"))]
        if missing := [name for name in names if name not in header]:
            problem = f"it has {name_list(header)} and no column {missing[0]!r}"
            raise BadFile(problem, "pass the MatchTable.csv of UnitMatch, with unique ids")
        places = list(map(header.index, names))
        for line, row in enumerate(rows, start=2):
            try:  # pandas writes whole numbers as 7.0, too
                numbers = [float(row[k]) for k in places]
            except (ValueError, IndexError):
                numbers = [0.5]
            if not all(map(float.is_integer, numbers)):
                problem = f"line {line} has not whole numbers for ids and recordings"
                raise BadFile(problem, "export the table again")
            if numbers[:2] == wanted and numbers[4] == numbers[5]:
                matched.append((f"{numbers[2]:.0f}", f"{numbers[3]:.0f}"))
    counts = [Counter(pair[k] for pair in matched) for k in (0, 1)]
    return {a: b for a, b in matched if counts[0][a] == counts[1][b] == 1}
