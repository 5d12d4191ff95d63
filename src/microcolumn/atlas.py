"""Areas and layers of mouse isocortex in the names and numbers of the Allen reference atlas.

Archives place units by the Allen Common Coordinate Framework: by acronyms such as ``"VISp2/3"``, by
full names, or by the numbers of the same regions. A digit at the end of an acronym is a layer in
isocortex alone: ``"CA1"`` and ``"ENTl2/3"`` are areas, and have no layer here.

The regions here are those below "Isocortex" (315) in the ontology of the Allen Mouse Brain Atlas
(Wang et al., Cell 181:936, 2020; api.brain-map.org, structure graph 1), as in the file
``allen_structure_tree.csv`` of the package iblatlas 1.3.0; ``atlas_regions.txt`` has the numbers
and acronyms of all others.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

#: Layers of the ends of acronyms, in the order of the numbers below.
_LAYERS = {
    "1": "I",
    "2": "II/III",
    "2/3": "II/III",
    "4": "IV",
    "5": "V",
    "6a": "VI",
    "6b": "VI",
}
#: Each area of isocortex with its number, then the numbers of its layers 1, 2, 2/3, 4, 5, 6a, 6b.
_ISOCORTEX = """
FRP 184 68 - 667 - 526157192 526157196 526322264
MO 500 107 - 219 - 299 644 947
MOp 985 320 - 943 - 648 844 882
MOs 993 656 - 962 - 767 1021 1085
SS 453 12993 - 12994 12995 12996 12997 12998
SSp 322 793 - 346 865 921 686 719
SSp-n 353 558 - 838 654 702 889 929
SSp-bfd 329 981 - 201 1047 1070 1038 1062
VISrll 480149202 480149206 - 480149210 480149214 480149218 480149222 480149226
SSp-ll 337 1030 - 113 1094 1128 478 510
SSp-m 345 878 - 657 950 974 1102 2
SSp-ul 369 450 - 854 577 625 945 1026
SSp-tr 361 1006 - 670 1086 1111 9 461
SSp-un 182305689 182305693 - 182305697 182305701 182305705 182305709 182305713
SSs 378 873 - 806 1035 1090 862 893
GU 1057 36 - 180 148 187 638 662
VISC 677 897 - 1106 1010 1058 857 849
AUD 247 - - - - - - -
AUDd 1011 527 - 600 678 252 156 243
VISlla 480149230 480149234 - 480149238 480149242 480149246 480149250 480149254
AUDp 1002 735 - 251 816 847 954 1005
AUDpo 1027 696 - 643 759 791 249 456
AUDv 1018 959 - 755 990 1023 520 598
VIS 669 801 - 561 913 937 457 497
VISal 402 1074 - 905 1114 233 601 649
VISam 394 281 - 1066 401 433 1046 441
VISl 409 421 - 973 573 613 74 121
VISp 385 593 - 821 721 778 33 305
VISpl 425 750 - 269 869 902 377 393
VISpm 533 805 - 41 501 565 257 469
VISli 312782574 312782578 - 312782582 312782586 312782590 312782594 312782598
VISpor 312782628 312782632 - 312782636 312782640 312782644 312782648 312782652
ACA 31 572 - 1053 - 739 179 227
ACAd 39 935 - 211 - 1015 919 927
ACAv 48 588 - 296 - 772 810 819
PL 972 171 195 304 - 363 84 132
ILA 44 707 747 556 - 827 1054 1081
ORB 714 264 - 492 - 352 476 516
ORBl 723 448 - 412 - 630 440 488
ORBm 731 484 524 582 - 620 910 527696977
ORBv 738 - - - - - - -
ORBvl 746 969 - 288 - 1125 608 680
AI 95 - - - - - - -
AId 104 996 - 328 - 1101 783 831
AIp 111 120 - 163 - 344 314 355
AIv 119 704 - 694 - 800 675 699
RSP 254 - - - - - - -
RSPagl 894 671 - 965 - 774 906 279
VISmma 480149258 480149262 - 480149266 480149270 480149274 480149278 480149282
VISmmp 480149286 480149290 - 480149294 480149298 480149302 480149306 480149310
VISm 480149314 480149318 - 480149322 480149326 480149330 480149334 480149338
RSPd 879 442 - 434 545 610 274 330
RSPv 886 542 606 430 - 687 590 622
PTLp 22 532 - 241 635 683 308 340
VISa 312782546 312782550 - 312782554 312782558 312782562 312782566 312782570
VISrl 417 312782604 - 312782608 312782612 312782616 312782620 312782624
TEa 541 97 - 1127 234 289 729 786
PERI 922 540 - 888 - 692 335 368
ECT 895 836 - 427 - 988 977 1045
"""
#: Their names, whose commas archives leave out; two are shorter where a layer follows.
_NAMES = """
FRP Frontal pole cerebral cortex
FRP Frontal pole
MO Somatomotor areas
MOp Primary motor area
MOs Secondary motor area
SS Somatosensory areas
SSp Primary somatosensory area
SSp-n Primary somatosensory area nose
SSp-bfd Primary somatosensory area barrel field
VISrll Rostrolateral lateral visual area
SSp-ll Primary somatosensory area lower limb
SSp-m Primary somatosensory area mouth
SSp-ul Primary somatosensory area upper limb
SSp-tr Primary somatosensory area trunk
SSp-un Primary somatosensory area unassigned
SSs Supplemental somatosensory area
GU Gustatory areas
VISC Visceral area
AUD Auditory areas
AUDd Dorsal auditory area
VISlla Laterolateral anterior visual area
AUDp Primary auditory area
AUDpo Posterior auditory area
AUDv Ventral auditory area
VIS Visual areas
VISal Anterolateral visual area
VISam Anteromedial visual area
VISl Lateral visual area
VISp Primary visual area
VISpl Posterolateral visual area
VISpm posteromedial visual area
VISli Laterointermediate area
VISpor Postrhinal area
ACA Anterior cingulate area
ACAd Anterior cingulate area dorsal part
ACAv Anterior cingulate area ventral part
PL Prelimbic area
ILA Infralimbic area
ORB Orbital area
ORBl Orbital area lateral part
ORBm Orbital area medial part
ORBv Orbital area ventral part
ORBvl Orbital area ventrolateral part
AI Agranular insular area
AId Agranular insular area dorsal part
AIp Agranular insular area posterior part
AIv Agranular insular area ventral part
RSP Retrosplenial area
RSPagl Retrosplenial area lateral agranular part
VISmma Mediomedial anterior visual area
VISmmp Mediomedial posterior visual area
VISm Medial visual area
RSPd Retrosplenial area dorsal part
RSPv Retrosplenial area ventral part
PTLp Posterior parietal association areas
VISa Anterior area
VISrl Rostrolateral visual area
VISrl Rostrolateral area
TEa Temporal association areas
PERI Perirhinal area
ECT Ectorhinal area
"""
#: Name of an area and what follows it in that of a layer: ``", layer 2/3"``, ``"/Layer 5"``.
_LAYER_NAME = re.compile(r"(.+?)[ ,/]*(?:layer)? *(1|2/3|2|4|5|6a|6b)", re.IGNORECASE)


def _tables() -> tuple[dict[int, str], dict[str, tuple[str, str]]]:
    """Acronyms by number, and area and layer of the acronyms of layers."""
    acronyms, places = {0: "", 315: "Isocortex", 997: "root"}, {}
    for line in _ISOCORTEX.strip().splitlines():
        area, number, *numbers = line.split()
        acronyms[int(number)] = area
        for end, layer_number in zip(_LAYERS, numbers, strict=True):
            if layer_number != "-":
                acronyms[int(layer_number)] = area + end
                places[area + end] = area, _LAYERS[end]
    return acronyms, places


def _plain(name: str) -> str:
    return " ".join(re.sub("[^a-z]", " ", name.lower()).split())


#: Characters; longer text is no name of a region.
_LONGEST = 100
_ACRONYMS, _PLACES = _tables()
_AREAS = {_plain(name): area for area, name in (x.split(" ", 1) for x in _NAMES.split("\n")[1:-1])}


def ccf_layer(region: str) -> tuple[str, str]:
    """Area and layer of a region, given as acronym or full name.

    The layer is ``""`` unless it is one of isocortex; the area is then the region as it is written.

    Examples
    --------
    >>> ccf_layer("VISp2/3"), ccf_layer("Primary visual area, layer 2/3")
    (('VISp', 'II/III'), ('VISp', 'II/III'))
    >>> ccf_layer("MOs"), ccf_layer("CA1"), ccf_layer("Field CA1")
    (('MOs', ''), ('CA1', ''), ('Field CA1', ''))
    """
    text = region.strip()
    if text in _PLACES:
        return _PLACES[text]
    named = _LAYER_NAME.fullmatch(text) if len(text) <= _LONGEST else None
    area = _AREAS.get(_plain(named[1])) if named else None
    if named and area:
        return _PLACES.get(area + named[2].lower(), (text, ""))
    return _AREAS.get(_plain(text), text), ""


def ccf_acronym(number: Any) -> str:
    """Acronym of a region's number, whose sign tells the hemisphere; ``""`` for 0, which is none.

    A number that the atlas does not have stays one.

    Examples
    --------
    >>> ccf_acronym(821), ccf_acronym(-33), ccf_acronym(382), ccf_acronym(4)
    ('VISp2/3', 'VISp6a', 'CA1', 'IC')
    """
    region = abs(int(number))
    if region in _ACRONYMS:
        return _ACRONYMS[region]
    return _outside_isocortex().get(region, f"CCF {region}")


@cache
def _outside_isocortex() -> dict[int, str]:
    """Acronyms of all other regions by number."""
    text = (files(__package__) / "atlas_regions.txt").read_text()
    lines = (line.split(" ", 1) for line in text.splitlines())
    return {int(number): acronym for number, acronym in lines}
