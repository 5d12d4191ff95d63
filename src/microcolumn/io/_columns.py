"""What the columns of a table of units mean, by the names that archives give them.

Names are compared in lower case. They are those of NWB and ALF files of the Allen Institute, of
the International Brain Laboratory (IBL), of Steinmetz et al. (Nature 576:266, 2019) and of the
Allen Institute for Neural Dynamics (AIND).
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ..atlas import ccf_acronym, ccf_layer
from ..errors import BadArgument, name_list
from ..layers import as_labels

Columns = Mapping[str, Sequence[Any]]

#: Depths in µm above the probe's tip; other names of depths state no zero.
_ABOVE_TIP = (
    *("distance_from_probe_tip_um", "mean_relative_depth"),  # IBL, new and old
    *("cluster_depths", "clusters.depths"),  # Steinmetz in NWB; ALF
    "probe_vertical_position",  # Allen
)
DEPTH_COLUMNS = ("depth_um", "depth", "unit_depth", "depths", *_ABOVE_TIP)
LAYER_COLUMNS = ("layer", "cortical_layer", "layers")
PROBE_COLUMNS = ("probe", "probe_name", "device_name", "group_name", "clusters.probes", "probe_id")
#: Regions of the brain in words, the finest first, and as numbers of the Allen atlas.
REGION_COLUMNS = (
    *("location", "brain_area", "acronym", "allen_location", "allen_ontology", "brain_region"),
    *("structure_acronym", "brainlocationacronyms_ccf_2017", "beryl_location"),
)
NUMBER_COLUMNS = ("brainlocationids_ccf_2017", "atlas_id")
#: Tables whose columns readers give to units, in the order in which they are searched.
_PREFIXES = ("", "clusters.", "electrodes.", "channels.")
#: Further columns of text that are labels: most of them, and most letters of each.
_MOST_LABELS, _LONGEST_LABEL = 20, 40
_NO_REGION = ("unknown", "unresolved", "n/a", "none", "no label")

QUALITY_COLUMNS = (
    *("quality", "decoder_label", "kslabel", "kilosort2_label", "ks2_label", "default_qc"),
    *("phy_annotations", "_phy_annotation", "clusters._phy_annotation", "ibl_quality_score"),
)
#: Columns of any table that make a unit's own depth, layer, area, probe and quality.
_OF_UNITS = {
    *("unit", "id", "global_id", "area", "multiunit", "depth_reference"),
    *(*DEPTH_COLUMNS, *LAYER_COLUMNS, *PROBE_COLUMNS, *REGION_COLUMNS, *NUMBER_COLUMNS),
    *(*QUALITY_COLUMNS, "label", "cluster_quality", "group"),
}
#: Verdicts of phy as Steinmetz et al. number them.
_PHY = {0.0: "noise", 1.0: "mua", 2.0: "good", 3.0: "unsorted"}
_VERDICTS = {"good": "good", "sua": "good", "mua": "mua", "noise": "noise", "unsorted": "unsorted"}
#: Quality of units that fail the checks of their own archive and are neither mua nor noise.
_FAILED = "failed"


def columns_named(names: Iterable[str], columns: Iterable[str]) -> Iterator[str]:
    """The columns with these names in any case, in the order of ``names``."""
    by_name = {column.lower(): column for column in reversed(list(columns))}
    return (by_name[name] for name in names if name in by_name)


def depth_reference_of(column: str) -> str | None:
    """What the depths of a column are measured from, if its name tells."""
    return "tip" if column.lower().removeprefix("electrodes.") in _ABOVE_TIP else None


def as_number(value: Any) -> float:
    """A table's entry as a number, nan if it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan
    return number if math.isfinite(number) else np.nan


class Places(NamedTuple):
    """Areas and layers of the units, and the column they come from."""

    column: str
    area: list[str]
    layer: list[str] | None


def places_of(columns: Columns) -> Places | None:
    """Where units sit: column ``area``, else the first with layers of the atlas, else any."""
    stated = next(columns_named(("area",), columns), None)
    if stated is not None:
        return Places(stated, as_labels(columns[stated]), None)
    names = (prefix + name for prefix in _PREFIXES for name in (*REGION_COLUMNS, *NUMBER_COLUMNS))
    places = None
    for column in columns_named(names, columns):
        placed = list(map(ccf_layer, _regions(column, columns[column])))
        area, layer = [area for area, _ in placed], [layer for _, layer in placed]
        if any(layer):
            return Places(column, area, layer)
        if places is None and any(area):
            places = Places(column, area, None)
    return places


def _regions(column: str, entries: Sequence[Any]) -> list[str]:
    if column.lower().endswith(NUMBER_COLUMNS):
        known = list(map(as_number, entries))
        return ["" if np.isnan(number) else ccf_acronym(number) for number in known]
    return ["" if text.lower() in _NO_REGION else text for text in as_labels(entries)]


def probes_of(columns: Columns) -> list[str] | None:
    """Probe of each unit; None if no column tells."""
    names = (prefix + name for prefix in _PREFIXES for name in PROBE_COLUMNS)
    for column in columns_named(names, columns):
        labels = _labels_of(columns[column])
        if any(labels) or column == "probe":
            return labels
    return None


def _labels_of(entries: Sequence[Any]) -> list[str]:
    """Entries as text, without the decimal point of whole numbers."""
    whole = all(isinstance(entry, float) and entry.is_integer() for entry in entries)
    return as_labels(list(map(int, entries)) if whole else entries)


def labels_of(columns: Columns, group_by: Iterable[str]) -> dict[str, list[str]]:
    """Columns that are asked for by name, and others of few short texts that are no numbers.

    The columns that make depths, layers, areas, probes and qualities are not among the others.
    """
    named = {asked: _column_called("group_by", asked, columns) for asked in group_by}
    labels = {asked: _labels_of(columns[column]) for asked, column in named.items()}
    own = {"", *named.values()}
    for column, entries in columns.items():
        if column.lower() in _OF_UNITS or column in own or len(column) > _LONGEST_LABEL:
            continue
        texts = as_labels(entries) if all(isinstance(entry, str) for entry in entries) else []
        known = {text for text in texts if text}
        short = all(len(t) <= _LONGEST_LABEL and np.isnan(as_number(t)) for t in known)
        if short and 1 < len(known) <= min(_MOST_LABELS, len(texts) - 1):
            labels[column] = texts
    return labels


def global_ids_of(columns: Columns, match_by: str | None) -> list[str] | None:
    """Name of each unit's cell in the column ``match_by``, ``""`` for -1; None without a name.

    The default column is ``global_id``.
    """
    if match_by is None and next(columns_named(("global_id",), columns), None) is None:
        return None
    entries = columns[_column_called("match_by", match_by or "global_id", columns)]
    names = (label.removesuffix(".0") for label in as_labels(entries))
    return ["" if name == "-1" else name for name in names]


def _column_called(argument: str, name: str, columns: Columns) -> str:
    """The column that an argument names, in any case and of any table that readers give units."""
    names = (prefix + name.lower() for prefix in _PREFIXES)
    for column in columns_named(names, columns):
        return column
    problem = f"is {name!r}, which is none of the columns {name_list(columns) or '(none)'}"
    raise BadArgument(argument, problem, "name one of them")


def quality_of(columns: Columns) -> tuple[list[str] | None, list[str]]:
    """Verdict of the spike sorting on each unit, None if there is none; and notes.

    A column ``quality`` is taken as it is. Otherwise a unit is ``"noise"`` if its label says so;
    ``"good"`` if it passes all of IBL's three tests (a score of 1), whatever its label; else
    ``"mua"`` if its label says so; and ``"failed"`` if it fails a test, IBL's or ``default_qc`` of
    AIND. Without scores and tests the label stands.
    """
    stated = next(columns_named(("quality",), columns), None)
    if stated is not None:
        return as_labels(columns[stated]), []
    label_column, labels = _labels(columns)
    score_column, scores = _scores(columns)
    check_column = next(columns_named(("default_qc",), columns), None)
    used = [column for column in (score_column, check_column, label_column) if column is not None]
    if not used:
        return None, []
    checks = repeat("") if check_column is None else as_labels(columns[check_column])
    quality = [_verdict(*each) for each in zip(labels, scores, checks, strict=False)]
    counts = Counter(word or "without a verdict" for word in quality)
    verdicts = ", ".join(f"{n} {word}" for word, n in counts.items())
    names = " and ".join(map(repr, used))
    return quality, [f"quality comes from column{'s' * (len(used) > 1)} {names}: {verdicts}"]


def _verdict(word: str, score: float, check: str) -> str:
    """Quality of one unit from its label, its score (nan if unknown) and its check."""
    if word == "noise":
        return word
    if not np.isnan(score):
        word = "good" if score > 0.999 else word if word == "mua" else _FAILED
    if word in ("", "good"):
        return {"true": "good", "false": _FAILED}.get(check.lower(), word)
    return word


def _labels(columns: Columns) -> tuple[str | None, Iterable[str]]:
    """The first column with verdicts in words or in the numbers of phy, and the verdicts."""
    for column in columns_named((*QUALITY_COLUMNS, "label"), columns):
        entries, name = columns[column], column.lower()
        if name.endswith(("phy_annotation", "phy_annotations")):
            return column, [_PHY.get(as_number(entry), "") for entry in entries]
        texts = as_labels(entries)
        words = [_VERDICTS.get(text.lower(), text) for text in texts]
        # "label" may be anything, such as the name of a unit.
        known = all(word in (*_VERDICTS, "") for word in words) and any(words)
        if name.endswith("label") and (known or name != "label"):
            return column, words
    return None, repeat("")


def _scores(columns: Columns) -> tuple[str | None, Iterable[float]]:
    """IBL's score, the share of three tests that a unit passes: 0, 1/3, 2/3 or 1.

    The tests are of refractory spikes, of lost spikes and of amplitude (International Brain
    Laboratory, spike sorting pipeline, doi:10.6084/m9.figshare.19705522).
    """
    for column in columns_named(("ibl_quality_score", "label"), columns):
        scores = list(map(as_number, columns[column]))
        thirds = {round(3 * score, 1) for score in scores if not np.isnan(score)}
        between = bool(thirds & {1.0, 2.0})  # a column "label" of 0 and 1 may be anything
        if thirds and thirds <= {0.0, 1.0, 2.0, 3.0} and (between or column.lower() != "label"):
            return column, scores
    return None, repeat(np.nan)
