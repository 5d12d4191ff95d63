"""Sections of a report page: which tables and figures of a study stand where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..study import tables
from ..study.catalogue import Place
from ..study.comparisons import INDEPENDENT, StudyComparison
from ..study.results import Results
from ..study.significance import p_text
from ..study.tables import Table
from .content import Answer, Block, Heading, Item, Listed, Paragraph, Section, Tabled
from .pictures import Pictures
from .typography import enumeration

#: Of one place: all that a section says of it.
Telling = Callable[[Results, Place], list[Item]]

_NOTHING = "Nothing is tested yet; run the study further."


def longest(results: Results) -> list[Place]:
    """The longest words tested so far of each experiment on each recording."""
    found = {(place.recording, place.experiment.name): place for place in results.begun()}
    return list(found.values())


def answers(results: Results) -> list[Answer]:
    """The result of every comparison in words, in the plan's order."""
    found = []
    for place in longest(results):
        compared = tables.compared_at(results, place)
        headline, *details = compared.answer.removesuffix(".").split("; ")
        about = f"{place.recording}: {tables.words_facts(place, compared)}{_windows(place)}"
        found.append(Answer(about, headline, tuple(details)))
    return found


def tally(results: Results) -> Answer:
    """How often each model scores best over all comparisons, by how much, and how surely."""
    compared = [tables.compared_at(results, place) for place in longest(results)]
    (name, most), *others = Counter(each.best.variant for each in compared).most_common()
    said = [f"{name} scores best in {most} of {len(compared)} comparisons"]
    ahead = [each.pair(each.best.variant, _next_best(each)) for each in compared]
    over_rates = [each.best.bits_per_second for each in compared]
    sure = sum(pair.differs for pair in ahead)
    return Answer(
        about=f"{len(compared)} comparisons",
        headline=", ".join([*said, *(f"{other} in {n}" for other, n in others)]),
        details=(
            f"the best is {_range([pair.bits_per_second for pair in ahead])} above the next, "
            f"beyond chance (p < 0.05) in {sure} of {len(compared)}",
            f"it is {_range(over_rates)} above firing rates",
        ),
    )


def _next_best(compared: StudyComparison) -> str:
    """The model after the best one, or firing rates where there is none."""
    return next((model.variant for model in compared.models[1:]), INDEPENDENT)


def _range(bits_per_second: list[float]) -> str:
    least, most = (tables.number(end(bits_per_second)) for end in (min, max))
    return f"{least} to {most} bits/s"


def glossary(results: Results) -> list[tuple[str, str]]:
    """What names of models and numbers mean, for readers who see them for the first time."""
    models = {model for each in results.plan.experiments for model in each.models}
    objectives = {name for each in results.plan.experiments for name in each.objectives}
    hidden = "hidden units, each of which ties a group of cells together"
    terms = [
        ("Independent", "cells that fire at their rates and know nothing of each other", True),
        ("Ising", "cells coupled in pairs", "Ising" in models),
        ("RBM n", f"restricted Boltzmann machine: n {hidden}", "RBM" in models),
        (
            "SemiRBM n",
            f"semi-restricted Boltzmann machine: cells coupled in pairs, and n {hidden}",
            "SemiRBM" in models,
        ),
        (
            "likelihood",
            "the same model fitted by maximum likelihood, the others by minimum probability flow",
            len(objectives) > 1,
        ),
        ("T", "bins per word", _has_windows(results)),
        (
            "splits",
            "words dealt anew to a training and a test part, singly (by words) or in stretches of "
            "time (by blocks); 2 of 3 splits: on so many test parts the better model scores higher",
            True,
        ),
        (
            "bits/s",
            "how much better a model foretells words that it has not seen than firing rates do "
            "(log-likelihood to base 2); after ± one standard error; p, two-sided, says how often "
            "chance alone would make a difference this large",
            True,
        ),
    ]
    return [(term, meaning) for term, meaning, used in terms if used]


def simulated(results: Results) -> str:
    """A sentence that names the recordings that are simulated; empty where none is."""
    names = [source.name for source in results.plan.sources if source.preset is not None]
    if not names:
        return ""
    return (
        f"Simulated: {enumeration(names)}. Cells of a layer were made to fire together in volleys, "
        "so that hidden units do well by construction"
    )


def summary(results: Results) -> Table | None:
    """All comparisons side by side; None where there are fewer than two."""
    places = longest(results)
    if len(places) < 2:
        return None
    rows = []
    for place in places:
        compared = tables.compared_at(results, place)
        others = [model.variant for model in compared.models[1:]]
        ising = [name for name in others if name.split()[0] == "Ising"]
        rows.append(
            (
                _about(place) if len(results.plan.experiments) > 1 else place.recording,
                compared.best.variant,
                _over(compared, others[:1], name=True),
                _over(compared, ising[:1]),
                _over(compared, [INDEPENDENT]),
            )
        )
    return Table(
        "best models",
        ("recording", "best model", "over the next", "over Ising", "over firing rates"),
        tuple(rows),
        left=("recording", "best model", "over the next", "over Ising", "over firing rates"),
        note="bits/s; ± and p allow for what splits have in common",
    )


def sections(results: Results, drawn: Pictures) -> list[Section]:
    """Sections between the answer and the methods; those the plan has nothing for are left out."""
    made = [
        _data(results, drawn),
        _comparison(results, drawn),
        _parameters(results, drawn),
        _assemblies(results),
        _time(results, drawn),
        _prediction(results, drawn),
        _fitting(results, drawn),
    ]
    return [section for section in made if section is not None]


def _data(results: Results, drawn: Pictures) -> Section:
    lead = (
        "Spike times are cut into bins; a word says which units fired in a bin, once or more often."
    )
    if not results.recordings:
        return Section("data", "Data", lead, [Paragraph("No recording is read yet.")])
    blocks = []
    for name in results.recordings:
        notes = tuple(str(note) for note in results.recordings[name]["notes"] or ())
        said: list[Item] = [Paragraph("Noted while reading:"), Listed(notes)] if notes else []
        blocks.append(_block(results, name, [*_pictures(drawn, "1", name), *said]))
    table = Tabled(tables.recordings(results), "")
    return Section("data", "Data", lead, [table], blocks)


def _comparison(results: Results, drawn: Pictures) -> Section:
    lead = (
        "Excess log-likelihood over independent units that fire at their rates, in bits per "
        "second, on test words that neither the fits nor the choice of the penalty have seen."
    )
    blocks = _blocks(results, _scores, drawn, "4")
    items: list[Item] = _pictures(drawn, "3", None)
    return Section("comparison", "Comparison", lead, items or _unless(blocks), blocks)


def _parameters(results: Results, drawn: Pictures) -> Section:
    lead = (
        "Couplings between units, and what each hidden unit listens to. Units are ordered from "
        "superficial to deep where their layers or depths are known."
    )
    blocks = _blocks(results, lambda *_: [], drawn, "2")
    return Section("parameters", "Parameters", lead, _unless(blocks), blocks)


def _assemblies(results: Results) -> Section:
    lead = (
        "Hidden units stand for groups of cells that fire together. Do these groups stay inside "
        "layers, and how much of what the models say is more than pairs?"
    )
    blocks = _blocks(results, _structure)
    return Section("assemblies", "Assemblies and layers", lead, _unless(blocks), blocks)


def _time(results: Results, drawn: Pictures) -> Section | None:
    if not _has_windows(results):
        return None
    lead = "Words that span several bins: how much each further bin of the past adds."
    blocks = _blocks(results, _growth, drawn, "5")
    items = [] if blocks else [Paragraph("No words of several bins are tested yet.")]
    return Section("time", "Time", lead, [*items], blocks)


def _prediction(results: Results, drawn: Pictures) -> Section:
    lead = (
        "The probability that a cell spikes, given all others or the past alone, against the "
        "firing rate. No normalising constant enters, so that this checks the comparison above."
    )
    blocks = _blocks(results, _predicted, drawn, "6")
    return Section("prediction", "Prediction", lead, _unless(blocks), blocks)


def _fitting(results: Results, drawn: Pictures) -> Section:
    lead = (
        "A score is as good as the fit and the normalising constant behind it. A fit has converged "
        "when its optimality certificate is within the tolerance; an annealed log Z when it has "
        "settled and chains run backwards agree."
    )
    said = tuple(_converged(results, place) for place in longest(results))
    items: list[Item] = [Listed(said)] if said else [Paragraph(_NOTHING)]
    return Section("fitting", "Fitting", lead, items, _blocks(results, lambda *_: [], drawn, "S1"))


def _scores(results: Results, place: Place) -> list[Item]:
    compared = tables.compared_at(results, place)
    about = _about(place)
    return [
        Tabled(tables.models(results, place, compared), about),
        Tabled(tables.pairs(compared), about),
    ]


def _structure(results: Results, place: Place) -> list[Item]:
    layers, interactions = tables.layers(results, place), tables.interactions(results, place)
    if interactions is None:
        return [Paragraph("The structure of these models is not computed yet.")]
    # In a caption, the columns go on by themselves.
    interactions = replace(interactions, title=interactions.title.removesuffix(", up to"))
    items: list[Item] = []
    if layers is None:
        items.append(Paragraph("The units are not in several layers, so no layers were tested."))
    return items + _tabled(place, layers, interactions)


def _growth(results: Results, place: Place) -> list[Item]:
    if len(place.experiment.lags) < 2:
        return []
    found = results.by_lags(place.recording, experiment=place.experiment.name)
    table = Tabled(tables.growth(found), _about(place, windows=False))
    return [table, Listed(tuple(tables.growth_sentences(found)))]


def _predicted(results: Results, place: Place) -> list[Item]:
    found = _tabled(place, tables.predictions(results, place))
    return found or [Paragraph("The predictions of these models are not computed yet.")]


def _converged(results: Results, place: Place) -> str:
    models = tables.compared_at(results, place).models
    scores = [score for model in models for score in model.splits]
    fits = sum(score.fit_converged for score in scores)
    normalised = sum(score.normaliser_converged for score in scores)
    annealed = sum(score.normaliser == "ais" for score in scores)
    found = f"log Z was annealed for {annealed} of them and summed exactly for the others"
    if not annealed:
        found = "log Z was summed exactly for all"
    elif normalised < len(scores):
        found += f", and may not be relied upon for {len(scores) - normalised}"
    return f"{_about(place)}: {fits} of the {len(scores)} fits tested have converged; {found}"


def _blocks(
    results: Results, tell: Telling, drawn: Pictures | None = None, number: str = ""
) -> list[Block]:
    """What a section says of each recording: its figure, then its experiments one by one."""
    blocks = []
    places = longest(results)
    for name in results.recordings:
        items = _pictures(drawn or {}, number, name)
        told = {place: tell(results, place) for place in places if place.recording == name}
        several = sum(map(bool, told.values())) > 1
        for place, said in told.items():
            if said and several:
                items.append(Heading(f"{place.experiment.name}{_windows(place)}"))
            items += said
        if items:
            blocks.append(_block(results, name, items))
    return blocks


def _block(results: Results, name: str, items: list[Item]) -> Block:
    return Block(name, tables.recording_facts(results.recordings[name]), items)


def _pictures(drawn: Pictures, number: str, recording: str | None) -> list[Item]:
    found = drawn.get((number, recording))
    return [] if found is None else [found]


def _tabled(place: Place, *found: Table | None) -> list[Item]:
    return [Tabled(table, _about(place)) for table in found if table is not None]


def _unless(blocks: Iterable[Block]) -> list[Item]:
    return [] if list(blocks) else [Paragraph(_NOTHING)]


def _about(place: Place, *, windows: bool = True) -> str:
    return f"{place.recording}, {place.experiment.name}{_windows(place) if windows else ''}"


def _windows(place: Place) -> str:
    return f", T = {place.lags}" if max(place.experiment.lags) > 1 else ""


def _has_windows(results: Results) -> bool:
    return any(max(experiment.lags) > 1 for experiment in results.plan.experiments)


def _over(compared: StudyComparison, others: list[str], *, name: bool = False) -> str:
    """How much better the best model is than another; a dash where there is none."""
    if not others:
        return "-"
    pair = compared.pair(compared.best.variant, others[0])
    which = f"{others[0]}: " if name else ""
    return f"{which}{tables.difference(pair)}, {p_text(pair.p_value)}"
