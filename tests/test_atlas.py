import pytest

from microcolumn.atlas import ccf_acronym, ccf_layer

#: Read from the Allen ontology by eye, apart from the table that is tested.
V1 = {593: "VISp1", 821: "VISp2/3", 721: "VISp4", 778: "VISp5", 33: "VISp6a", 305: "VISp6b"}


@pytest.mark.parametrize(
    ("acronym", "place"),
    [
        ("VISp1", ("VISp", "I")),
        ("VISam2/3", ("VISam", "II/III")),
        ("PL2", ("PL", "II/III")),
        ("SSp-bfd4", ("SSp-bfd", "IV")),
        ("RSPagl5", ("RSPagl", "V")),
        (" ACAv6a ", ("ACAv", "VI")),
        ("MOs6b", ("MOs", "VI")),
        ("VISp", ("VISp", "")),
        ("Primary visual area, layer 2/3", ("VISp", "II/III")),
        ("Primary visual area layer 6a", ("VISp", "VI")),
        ("Primary somatosensory area, barrel field, layer 4", ("SSp-bfd", "IV")),
        ("Ectorhinal area/Layer 5", ("ECT", "V")),
        ("Anterior cingulate area ventral part 6a", ("ACAv", "VI")),
        ("Secondary motor area", ("MOs", "")),
        ("", ("", "")),
    ],
)
def test_an_acronym_of_isocortex_is_an_area_and_a_layer(acronym, place):
    assert ccf_layer(acronym) == place


@pytest.mark.parametrize(
    "acronym",
    [
        *("CA1", "CA2", "ENTl2/3", "ENTm5", "PIR1", "COApl2", "DP5", "DP6a", "AON1", "TTd4"),
        *("POST2", "OT1", "V4", "CUL5", "P5", "6b", "MOp4", "VISp3"),
        *("Field CA1", "Entorhinal area, lateral part, layer 2/3", "Piriform area, layer 1"),
        *("Primary motor area, layer 4", "Dorsal peduncular area, layer 5"),
    ],
)
def test_a_digit_outside_isocortex_is_no_layer(acronym):
    assert ccf_layer(acronym) == (acronym, "")


def test_numbers_are_those_of_the_allen_ontology_in_both_hemispheres():
    assert {number: ccf_acronym(number) for number in V1} == V1
    assert {-number: ccf_acronym(-number) for number in V1} == {-n: name for n, name in V1.items()}
    assert ccf_acronym(385) == "VISp"
    assert ccf_acronym(312782608) == "VISrl2/3"


def test_a_region_outside_isocortex_has_an_acronym_and_no_layer():
    outside = {382: "CA1", 549: "TH", 733: "VPM", 672: "CP", 60: "ENTl6b", 997: "root", 0: ""}
    assert {number: ccf_acronym(float(number)) for number in outside} == outside
    assert all(ccf_layer(name) == (name, "") for name in outside.values())


def test_a_number_that_the_atlas_does_not_have_stays_one():
    assert ccf_acronym(-123456) == "CCF 123456"
