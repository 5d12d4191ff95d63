"""Numbers, times and sentences as the page prints them."""

from microcolumn.report._typography import signed, typeset, unbroken


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
