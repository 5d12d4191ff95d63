"""Numbers, times and sentences as the page prints them."""

import pytest

from microcolumn.report._typography import period, sentence, signed, typeset, unbroken


def test_powers_of_ten_are_raised_and_a_lone_dash_is_an_en_dash() -> None:
    assert typeset("2e-3, p < 1e-8") == "2·10⁻³, p < 10⁻⁸"
    assert typeset("-") == "\N{EN DASH}"


def test_negative_numbers_have_a_minus_sign_and_nothing_else_has() -> None:
    assert signed("-1.29 to -0.5 (-3)") == "\u22121.29 to \u22120.5 (\u22123)"
    assert signed("RBM 10 - Ising, 7@-1, 2026-11-17, -") == "RBM 10 - Ising, 7@-1, 2026-11-17, -"


def test_amounts_and_p_values_have_no_space_to_break_at() -> None:
    assert unbroken("1.03 ± 0.13 bits/s (p = 0.2)").split(" ") == [
        "1.03\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.13\N{NO-BREAK SPACE}bits/s",
        "(p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.2)",
    ]


def test_a_word_at_the_beginning_gets_a_capital_and_a_symbol_does_not() -> None:
    assert sentence("each pair by itself") == "Each pair by itself."
    assert sentence("p: over splits") == "p: over splits."


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("2026-11-17 03:47:08", "2026-11-17 03:49:15", "2026-11-17 03:47 to 03:49 UTC"),
        ("2026-11-17 03:47:08", "2026-11-17 03:47:15", "2026-11-17 03:47 UTC"),
        ("2026-11-17 23:59:08", "2026-11-18 00:01:15", "2026-11-17 23:59 to 2026-11-18 00:01 UTC"),
    ],
)
def test_a_period_has_days_once_and_no_seconds(first: str, last: str, text: str) -> None:
    assert period(f"{first}+00:00", f"{last}+00:00") == text
