from microcolumn.study._experiment import INSTANTANEOUS, SPATIOTEMPORAL


def test_the_defaults_are_the_papers_protocol_but_for_penalties_and_splits_by_blocks():
    assert INSTANTANEOUS.l1 == "auto"
    assert (INSTANTANEOUS.n_hidden, INSTANTANEOUS.n_splits) == (("auto",), 10)
    assert (INSTANTANEOUS.bin_width, INSTANTANEOUS.windows) == (0.020, (1,))
    assert (INSTANTANEOUS.split_by, INSTANTANEOUS.train) == ("blocks", 0.5)
    assert SPATIOTEMPORAL.windows == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15)
    assert (SPATIOTEMPORAL.most_active, SPATIOTEMPORAL.max_words) == (10, 200_000)
    assert (SPATIOTEMPORAL.bin_width, SPATIOTEMPORAL.n_hidden) == (0.0067, ("dims",))
    assert SPATIOTEMPORAL.split_by == "blocks"
    assert SPATIOTEMPORAL.l1 == "coarse"
