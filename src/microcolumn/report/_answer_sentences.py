"""Paragraphs of the answer: whether groups matter beyond pairs, by how much, and in which layers.

Every function takes the findings of one experiment, one for each recording. Of one recording, the
models and their numbers are told; several are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluate._paired import EQUAL_MARGIN
from ..evaluate._significance import FEWEST_SPLITS, p_text, with_error
from ..formatting import counted, enumeration, number
from ._assembly_table import ASSEMBLY, are_assemblies
from ._findings import OPEN, PAIRS_SUFFICE, Finding, Layering, of_kind
from ._methods import fitting

#: What the classes of the family are, where they are first named.
_MEANING = {
    "RBM": "hidden units that each stand for a group of units",
    "SemiRBM": "pairs of units, and hidden units that each stand for a group",
    "Ising": "pairs of units alone",
}
_SCORE = (
    "A score is the gain in log-likelihood over independent units, in bits per second, on test "
    "words, which no fit has seen; a word says which units fired in a bin, and every split assigns "
    "words anew to training and test."
)
_SMALL = f"{100 * EQUAL_MARGIN:g} % of the best model's gain over independent units"
#: More recordings are counted, not named.
_MOST_NAMED = 4
#: How many times as likely a second may become for the number to mean something.
_LEAST_TIMES, _MOST_TIMES = 1.1, 1000.0


def beyond_pairs(found: Sequence[Finding]) -> str:
    """Whether groups matter beyond pairs."""
    if len(found) > 1:
        return _all_beyond_pairs(found)
    told = _one_beyond_pairs(found[0])
    return f"{told} {_fitted(found)}{_SCORE}" if found[0].pair else told


def _fitted(found: Sequence[Finding]) -> str:
    """How the models that are held against each other were fitted, where it is one way."""
    pairs = [(each.compared.scores, each.pair) for each in found if each.pair]
    both = [scores[name].spec for scores, pair in pairs for name in (pair.first, pair.second)]
    [by, *others] = {spec.objective for spec in both}
    return "" if others else f"Both are fitted by {fitting(by)}. "


def _one_beyond_pairs(found: Finding) -> str:
    pair, compared = found.pair, found.compared
    if pair is None:
        false = [model.name for model in compared.unranked]
        if false:
            return f"Not tested: {enumeration(false)} cannot be ranked because of a false mode."
        return "Not tested: this takes an Ising model and one with hidden units (RBM or SemiRBM)."
    first, second = (
        f"{name} ({_MEANING[compared.scores[name].spec.model]})"
        for name in (pair.first, pair.second)
    )
    per_cent = f" ({found.relative.gain})" if found.relative else ""
    by = f"{with_error(abs(pair.bits_per_second), pair.stderr)} bits/s{per_cent}"
    is_above = pair.bits_per_second >= 0.0
    won = pair.n_better if is_above else pair.n_worse
    scores = f"{first} scores {by} {'above' if is_above else 'below'} {second}"
    sure = f"in {won} of {counted(pair.n_splits, 'split')}"
    match found.kind:
        case "groups":
            return f"Yes. {scores}, {sure} ({p_text(pair.p_holm)})."
        case "pairs":
            return f"No, pairs do better. {scores}, {sure} ({p_text(pair.p_holm)})."
        case "equal":
            return f"No, pairs suffice. {scores}, with a 95 % interval within ±{_SMALL}."
        case "same":
            return f"No, pairs suffice. {first} scores the same as {second} in every split."
        case "too few splits":
            few = f"Too few splits to decide ({pair.n_splits}; at least {FEWEST_SPLITS} are needed)"
            return f"{few}. So far {scores}."
        case "open":
            return f"Open: {compared.unsettled}. So far {scores}, {sure}."
    return f"Undecided. {scores}, {sure}, which may be chance ({p_text(pair.p_holm)})."


def _all_beyond_pairs(found: Sequence[Finding]) -> str:
    groups, tested = of_kind(found, "groups"), [each for each in found if each.pair]
    suffice = of_kind(found, "pairs", *PAIRS_SUFFICE)
    if not tested:
        return "Not tested: this takes an Ising model and one with hidden units (RBM or SemiRBM)."
    lead = "Undecided."
    if suffice and not groups:
        lead = f"No: pairs suffice in {len(suffice)} of {len(found)} recordings."
    elif groups:
        all_of_them = "Yes, in all" if len(groups) == len(found) else f"In {len(groups)} of"
        lead = f"{all_of_them} {len(found)} recordings."
    told = {
        ("groups",): ("Groups are better in {where}, by {by}.", False),
        ("pairs",): ("Pairs are better in {where}, by {by}.", False),
        PAIRS_SUFFICE: (f"Both are equal in {{where}}, to within {_SMALL}.", False),
        ("undecided",): ("Undecided in {where}: groups score {by}, which may be chance.", True),
        ("too few splits",): ("Too few splits in {where}: so far groups score {by}.", True),
        ("open",): ("Open in {where}, where fits have not converged: so far, {by}.", True),
        ("untested",): ("Not tested in {where}.", True),
    }
    clauses = []
    for kinds, (text, above) in told.items():
        if some := of_kind(found, *kinds):
            clauses.append(text.format(where=named(some), by=_gains(some, above=above)))
    hidden = {m.spec.model for each in tested for m in each.compared.models if m.spec.has_groups}
    compared = (
        "The best model with hidden units, each of which stands for a group of units "
        f"({' or '.join(sorted(hidden))}), is compared with the best model of pairs alone (Ising)."
    )
    return " ".join([lead, compared, f"{_fitted(found)}{_SCORE}", *clauses])


def _gains(found: Sequence[Finding], *, above: bool) -> str:
    """Differences and per cent of several recordings, from the smallest to the largest."""
    pairs = [each.pair.bits_per_second for each in found if each.pair]
    per_cent = [100.0 * (each.relative.value - 1.0) for each in found if each.relative]
    if not above:
        pairs, per_cent = [abs(value) for value in pairs], [abs(value) for value in per_cent]
    if not pairs:
        return ""
    text = f"{spread(pairs)} bits/s" + (f" ({spread(per_cent, 0)} %)" if per_cent else "")
    return f"{text} above pairs" if above else text


def size_of_gain(found: Sequence[Finding]) -> str:
    """How large the gain is; empty where groups were not held against pairs."""
    tested = [each for each in found if each.pair]
    if not tested:
        return ""
    return _one_gain(tested[0]) if len(found) == 1 else _all_gains(tested)


def _one_gain(found: Finding) -> str:
    pair, share = found.pair, found.share
    if pair is None:
        return ""
    reached = ""
    if share is not None:
        reached = f"pairs alone reach {share} of what {pair.first} gains over independent units"
    if found.kind in OPEN:
        interval = ""
        if pair.n_splits >= FEWEST_SPLITS:
            low, high = map(number, pair.interval)
            interval = f"the 95 % interval of the difference is {low} to {high} bits/s"
        return f"Not settled: {'; '.join(filter(None, [interval, reached]))}." if reached else ""
    if found.kind != "groups":
        return f"There is none: {reached}." if reached else "There is none."
    per_spike = (
        found.compared.scores[pair.first].bits_per_spike
        - found.compared.scores[pair.second].bits_per_spike
    )
    once = "(several of a unit in a bin count once)"
    spikes = f", or {per_spike:.2g} bits per spike {once}" if per_spike > 0.0 else ""
    text = f"Groups add {number(pair.bits_per_second)} bits/s{spikes}"
    return f"{text}{': ' + reached if reached else ''}.{_times([pair.bits_per_second])}"


def _all_gains(found: Sequence[Finding]) -> str:
    shares = [100.0 * each.share.value for each in found if each.share]
    groups = of_kind(found, "groups")
    gained = [each.pair.bits_per_second for each in groups if each.pair]
    reached = ""
    if shares:
        reached = (
            f"pairs alone reach {spread(shares, 0)} % of what models with hidden units gain over "
            "independent units"
        )
    if not groups:
        lead = "Not settled" if of_kind(found, *OPEN) else "There is none"
        return f"{lead}: {reached}." if reached else f"{lead}."
    text = f"Where groups are better, they add {_gains(groups, above=False)}.{_times(gained)}"
    return f"{text} In all recordings {reached}." if reached else text


def _times(bits_per_second: Sequence[float]) -> str:
    """How many times as likely a second becomes, where that is a number one can imagine.

    Bits/s are a mean of logarithms, so that this is a geometric mean.
    """
    times = [2.0**bits for bits in bits_per_second if bits < 50.0]
    if len(times) < len(bits_per_second) or not times:
        return ""
    if min(times) < _LEAST_TIMES or max(times) > _MOST_TIMES:
        return ""
    ends = dict.fromkeys(f"{value:.2g}" for value in (min(times), max(times)))
    return (
        f" In the geometric mean, a second of unseen activity is {' to '.join(ends)} times as "
        "likely with groups as with pairs."
    )


def in_layers(found: Sequence[Finding]) -> str:
    """Whether the groups stay in layers."""
    return _one_in_layers(found[0]) if len(found) == 1 else _all_in_layers(found)


def _one_in_layers(found: Finding) -> str:
    layers = found.layering
    if isinstance(layers, str):
        return f"{layers}.{_assemblies(found)}"
    leads = {
        "inside": "More than by chance",
        "by chance": "No more than by chance, as far as can be seen",
        "undecided": "Undecided",
    }
    return (
        f"{leads[layers.kind]}: {_percent(layers)} of all weight of {layers.model} lies in the "
        f"main layer of its hidden unit (permutation test, p < 0.05 in {layers.n_inside} of "
        f"{counted(layers.n_splits, 'split')}). On average over splits, "
        f"{_counts([layers.n_in_layer])} of {_counts([layers.n_live])} live hidden units are "
        f"concentrated in one layer (false discovery rate 5 %).{_assemblies(found)}"
    )


def _assemblies(found: Finding) -> str:
    """How many live hidden units are assemblies, of each model that may be the best."""
    live = {name: each for name, each in found.assemblies.items() if len(each)}
    if not live:
        return ""
    first, *others = live
    those = f"{counted(len(live[first]), 'live hidden unit')} of {first} in the first split"
    counts = [are_assemblies(len(live[first].stable), those)]
    for name in others:
        n = f"{len(live[name].stable)} of {len(live[name])}"
        counts.append(f"of {name}, whose score is not clearly lower, {n}")
    return f" {'; '.join(counts)}. {ASSEMBLY}"


def _percent(layers: Layering) -> str:
    """``"66 % (51 % if layers are shuffled)"``."""
    return f"{100 * layers.share:.0f} % ({100 * layers.expected:.0f} % if layers are shuffled)"


def _all_in_layers(found: Sequence[Finding]) -> str:
    known = [(each, each.layering) for each in found if isinstance(each.layering, Layering)]
    if not known:
        reasons = dict.fromkeys(str(each.layering) for each in found)
        return f"{next(iter(reasons))}." if len(reasons) == 1 else "Not tested in any recording."
    told = {
        "inside": "more than by chance in {}, with p < 0.05 in a permutation test in every split",
        "undecided": "undecided in {}, with p < 0.05 in some splits only",
        "by chance": "no more than by chance, as far as can be seen, in {}",
    }
    clauses = []
    for kind, text in told.items():
        if some := [each for each, layers in known if layers.kind == kind]:
            clauses.append(text.format(named(some)))
    lead = "; ".join(clauses)
    rows = [layers for _, layers in known]
    inside, live = (
        _counts([getattr(row, name) for row in rows]) for name in ("n_in_layer", "n_live")
    )
    text = (
        f"{lead[0].upper()}{lead[1:]}. {_shares(known)}. On average over splits, {inside} of "
        f"{live} live hidden units of a recording are concentrated in one layer (false discovery "
        "rate 5 %)."
    )
    untested = len(found) - len(known)
    if untested:
        text += f" Not tested in {untested}, which have no layers or no hidden units."
    counts = [float(each.n_assemblies) for each in found if each.n_assemblies is not None]
    if counts:
        text += (
            f" {spread(counts, 0)} hidden units of the best model that has some, in the first "
            f"split of a recording, are assemblies. {ASSEMBLY}"
        )
    return text


def _shares(known: Sequence[tuple[Finding, Layering]]) -> str:
    """Weight in main layers beside that by chance, of each recording or of the median one."""
    lies = "lies in the main layer of its hidden unit"
    if len(known) > _MOST_NAMED:
        gains = sorted((layers for _, layers in known), key=lambda row: row.share - row.expected)
        return f"In the median recording, {_percent(gains[len(gains) // 2])} of all weight {lies}"
    shares = enumeration([f"{100 * row.share:.0f} % in {named([each])}" for each, row in known])
    shuffled = enumeration([f"{100 * row.expected:.0f} %" for _, row in known])
    return f"Of all weight, {shares} {lies}; if layers are shuffled, {shuffled}"


def named(found: Sequence[Finding]) -> str:
    """Recordings by name, or counted where they are many."""
    labels = [each.label if len(each.label) <= 40 else f"{each.label[:39]}…" for each in found]
    return enumeration(labels) if len(labels) <= _MOST_NAMED else f"{len(labels)} recordings"


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The smallest and the largest number, or the only one: ``"1.90 to 3.01"``."""
    ends = dict.fromkeys(number(value, digits) for value in (min(values), max(values)))
    return " to ".join(ends)


def _counts(means: Sequence[float]) -> str:
    """Means of counts, from the smallest to the largest: ``"3.3 to 10.0"``."""
    return " to ".join(dict.fromkeys(f"{mean:.1f}" for mean in (min(means), max(means))))
