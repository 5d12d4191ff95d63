"""Numbers and sentences as the page prints them."""

from microcolumn.report._typography import sentence, typeset, unbroken


def test_powers_of_ten_are_raised_and_a_lone_dash_is_an_en_dash() -> None:
    assert typeset("2e-3, p < 1e-8") == "2·10⁻³, p < 10⁻⁸"
    assert typeset("-") == "\N{EN DASH}"


def test_amounts_and_p_values_have_no_space_to_break_at() -> None:
    assert unbroken("1.03 ± 0.13 bits/s (p = 0.2)").split(" ") == [
        "1.03\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.13\N{NO-BREAK SPACE}bits/s",
        "(p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.2)",
    ]


def test_a_word_at_the_beginning_gets_a_capital_and_a_symbol_does_not() -> None:
    assert sentence("each pair by itself") == "Each pair by itself."
    assert sentence("p: over splits") == "p: over splits."
