import pytest

import microcolumn as mc
from microcolumn.io._tables import layer_table, open_table

SPIKES = "unit,time\na,0.1\nb,0.2\nc,0.3\n"


def written(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_table_of_layers_is_read_in_the_dialect_of_spikes(separator, encoding, tmp_path):
    lines = ["layer,Unit ID", "IV,c", ",b", "II/III, a", ""]
    text = "\n".join(line.replace(",", separator) for line in lines)
    path = written(tmp_path / "layers.csv", text.encode(encoding))
    assert layer_table(path) == {"c": "IV", "b": "", "a": "II/III"}
    with open_table(path) as (header, rows):
        assert header == ["layer", "Unit ID"]
        assert len(list(rows)) == 3


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_layers_of_a_recording_may_be_a_path(kind, tmp_path):
    spikes = written(tmp_path / "spikes.csv", SPIKES)
    layers = written(tmp_path / "layers.csv", "unit,layer\nc,IV\nb,\na,II/III\n")
    assert mc.read(spikes, layers=kind(layers)).units.layer == ("II/III", "", "IV")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("unit,depth\na,3\n", "has no column of layers"),
        ("depth,layer\n3,IV\n", "has depth, layer and no column unit"),
        ("", "is empty"),
        ("unit,layer\na,IV\nb\nc,V\n", "names no layer for 1 unit, such as 'b'"),
        ("unit,layer\na,IV\na,V\n", "line 3 names unit 'a' again"),
        ("unit,layer\n,IV\n", "line 2 names no unit"),
        ("unit,layer\na,IV\n", "names no layer for 2 units, such as 'b'"),
        (b"unit,layer\n\xff,IV\n", "is not UTF-8 text"),
    ],
)
def test_a_bad_table_of_layers_is_one_sentence(text, fact, tmp_path):
    spikes = written(tmp_path / "spikes.csv", SPIKES)
    path = written(tmp_path / "layers.csv", text)
    with pytest.raises(ValueError, match=rf"layers\.csv.*{fact}") as caught:
        mc.read(spikes, layers=path)
    assert "\n" not in str(caught.value)
