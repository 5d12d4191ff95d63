"""Areas and layers of mouse isocortex in the names and numbers of the Allen reference atlas.

Archives place units by the Allen Common Coordinate Framework: by acronyms such as ``"VISp2/3"``, or
by the numbers of the same regions. A digit at the end of an acronym is a layer in isocortex alone:
``"CA1"`` and ``"ENTl2/3"`` are areas, and have no layer here.

The regions are those below "Isocortex" (315) in the ontology of the Allen Mouse Brain Atlas (Wang
et al., Cell 181:936, 2020; api.brain-map.org, structure graph 1), as in the file
``allen_structure_tree.csv`` of the package iblatlas 1.3.0.
"""

from __future__ import annotations

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
#: Acronyms by number, and the area and layer of each acronym.
_ACRONYMS = {0: "", 315: "Isocortex", 997: "root"}
_PLACES: dict[str, tuple[str, str]] = {}
for _area, _number, *_numbers in map(str.split, _ISOCORTEX.strip().splitlines()):
    _ACRONYMS[int(_number)] = _area
    for _end, _id in zip(_LAYERS, _numbers, strict=True):
        if _id != "-":
            _ACRONYMS[int(_id)] = _area + _end
            _PLACES[_area + _end] = _area, _LAYERS[_end]


def ccf_layer(acronym: str) -> tuple[str, str]:
    """Area and layer of an acronym; the layer is ``""`` unless it is one of isocortex.

    Examples
    --------
    >>> ccf_layer("VISp2/3"), ccf_layer("MOs6b"), ccf_layer("VISp"), ccf_layer("CA1")
    (('VISp', 'II/III'), ('MOs', 'VI'), ('VISp', ''), ('CA1', ''))
    """
    text = acronym.strip()
    return _PLACES.get(text, (text, ""))


def ccf_acronym(number: Any) -> str:
    """Acronym of a region's number, whose sign tells the hemisphere; ``""`` for 0, which is none.

    Regions outside isocortex have no acronym here and are named by their number.

    Examples
    --------
    >>> ccf_acronym(821), ccf_acronym(-33), ccf_acronym(382)
    ('VISp2/3', 'VISp6a', 'CCF 382')
    """
    region = abs(int(number))
    return _ACRONYMS.get(region, f"CCF {region}")
