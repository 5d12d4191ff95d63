"""Areas and layers of mouse isocortex in the names and numbers of the Allen reference atlas.

Archives place units by the Allen Common Coordinate Framework: by acronyms such as ``"VISp2/3"``, by
full names, or by the numbers of the same regions. A digit at the end of an acronym is a layer in
isocortex alone: ``"CA1"`` and ``"ENTl2/3"`` are areas, and have no layer here.

The regions here are those below "Isocortex" (315) in the ontology of the Allen Mouse Brain Atlas
(Wang et al., Cell 181:936, 2020; api.brain-map.org, structure graph 1), as in the file
``allen_structure_tree.csv`` of the package iblatlas 1.3.0. ``atlas_isocortex.txt`` has their
acronyms and numbers, those of their layers 1, 2, 2/3, 4, 5, 6a and 6b, and their names, whose
commas archives leave out; ``atlas_regions.txt`` has the numbers and acronyms of all others.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

#: Layers of the ends of acronyms, in the order of the file's numbers.
_LAYERS = {"1": "I", "2": "II/III", "2/3": "II/III", "4": "IV", "5": "V", "6a": "VI", "6b": "VI"}
#: Name of an area and what follows it in that of a layer: ``", layer 2/3"``, ``"/Layer 5"``.
_LAYER_NAME = re.compile(r"(.+?)[ ,/]*(?:layer)? *(1|2/3|2|4|5|6a|6b)", re.IGNORECASE)
#: Characters; longer text is no name of a region.
_LONGEST = 100


class _Regions(NamedTuple):
    """Acronyms by number; of isocortex, area and layer of acronyms of layers, and areas by name."""

    acronyms: dict[int, str]
    places: dict[str, tuple[str, str]]
    areas: dict[str, str]


@cache
def _regions() -> _Regions:
    """All regions; a line of isocortex has an area, its number, those of its layers, its names."""
    outside = (line.split(" ", 1) for line in _lines("atlas_regions.txt"))
    acronyms = {int(number): acronym for number, acronym in outside}
    regions = _Regions(acronyms | {0: "", 315: "Isocortex", 997: "root"}, {}, {})
    for line in _lines("atlas_isocortex.txt"):
        area, number, *numbers, names = line.split(" ", 2 + len(_LAYERS))
        regions.acronyms[int(number)] = area
        regions.areas.update({_plain(name): area for name in names.split("; ")})
        for end, layer_number in zip(_LAYERS, numbers, strict=True):
            if layer_number != "-":
                regions.acronyms[int(layer_number)] = area + end
                regions.places[area + end] = area, _LAYERS[end]
    return regions


def _lines(name: str) -> list[str]:
    return (files(__package__) / name).read_text().splitlines()


def _plain(name: str) -> str:
    return " ".join(re.sub("[^a-z]", " ", name.lower()).split())


def ccf_layer(region: str) -> tuple[str, str]:
    """Area and layer of a region, given as acronym or full name.

    The layer is ``""`` unless it is one of isocortex; the area is then the region as it is written.

    >>> ccf_layer("VISp2/3"), ccf_layer("Primary visual area, layer 2/3")
    (('VISp', 'II/III'), ('VISp', 'II/III'))
    >>> ccf_layer("MOs"), ccf_layer("CA1"), ccf_layer("Field CA1")
    (('MOs', ''), ('CA1', ''), ('Field CA1', ''))
    """
    text, (_, places, areas) = region.strip(), _regions()
    if text in places:
        return places[text]
    named = _LAYER_NAME.fullmatch(text) if len(text) <= _LONGEST else None
    area = areas.get(_plain(named[1])) if named else None
    if named and area:
        return places.get(area + named[2].lower(), (text, ""))
    return areas.get(_plain(text), text), ""


def ccf_acronym(number: Any) -> str:
    """Acronym of a region's number, whose sign tells the hemisphere; ``""`` for 0, which is none.

    A number that the atlas does not have stays one.

    >>> ccf_acronym(821), ccf_acronym(-33), ccf_acronym(382), ccf_acronym(4)
    ('VISp2/3', 'VISp6a', 'CA1', 'IC')
    """
    region = abs(int(number))
    return _regions().acronyms.get(region, f"CCF {region}")
