"""Plan: the recordings of a study and the experiments on them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ..errors import BadArgument, BadFile, BadInput, BadType, in_file, within
from ..io import is_url
from ..recording import Recording
from ..renamed import Renamed
from ..simulate import PRESETS
from ..validation import expect, listed
from ..wording import worded_lines
from ._experiment import (
    INSTANTANEOUS,
    PAPER_L1,
    SPATIOTEMPORAL,
    Experiment,
    did_you_mean,
    instantaneous,
)
from .sources import Source

__all__ = ["INSTANTANEOUS", "SPATIOTEMPORAL", "Experiment", "Plan", "Source"]

RecordingLike: TypeAlias = "str | Path | Recording | Source"

_SECTIONS = ("recordings", "instantaneous", "spatiotemporal", "experiments")
#: Settings that say which words an experiment is about, and how large its models are.
_OF_WORDS = ("bin_width", "most_active", "max_words", "windows", "n_hidden", "split_by")


@dataclass(frozen=True, slots=True)
class Plan(Renamed):
    """What a study computes.

    Attributes
    ----------
    sources : tuple of Source
        Its recordings.
    experiments : tuple of Experiment
        What is done with them.
    full : Plan, optional
        The plan that this one is a small version of; see :meth:`quick`.

    Examples
    --------
    >>> plan = Plan.of(["B4", "T6"], n_splits=5, models=["Ising", "RBM"])
    >>> [source.name for source in plan.sources], plan.experiments[0].n_splits
    (['B4', 'T6'], 5)
    >>> Plan.from_dict(plan.as_dict()) == plan
    True
    """

    sources: tuple[Source, ...]
    experiments: tuple[Experiment, ...]
    full: Plan | None = None

    def __post_init__(self) -> None:
        for name, kind in (("sources", Source), ("experiments", Experiment)):
            entries = tuple(listed(name, getattr(self, name), f"pass a list of {kind.__name__}"))
            for entry in entries:
                expect(name, entry, kind, f"a list of {kind.__name__}")
            object.__setattr__(self, name, entries)
        if not self.sources:
            raise BadInput("the plan has no recording", "add one with a preset or a file")
        if not self.experiments:
            raise BadInput("the plan has no experiment", "add one, for example INSTANTANEOUS")
        known = [source.name for source in self.sources]
        _check_distinct("recordings", known)
        _check_distinct("experiments", [experiment.name for experiment in self.experiments])
        for experiment in self.experiments:
            for name in experiment.recordings:
                if name not in known:
                    with within(f"experiment {experiment.name}"):
                        problem = f"names {name!r}, which the plan does not have"
                        raise BadArgument("recordings", problem, did_you_mean(name, known))

    @classmethod
    def of(
        cls,
        recordings: Mapping[str, RecordingLike] | Any,
        *,
        spatiotemporal: bool = False,
        animals: Mapping[str, str] | None = None,
        read: Mapping[str, Any] | None = None,
        select: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Plan:
        """Plan of the instantaneous experiment on some recordings.

        Parameters
        ----------
        recordings : mapping of str to origin, iterable of origins, or one origin
            An origin is a path, the name of a preset (``"B4"``), a :class:`Recording` or a
            :class:`Source`. Without names, files are known by their stem.
        spatiotemporal : bool
            Whether to add the spatiotemporal experiment with its defaults.
        animals : mapping of str to str, optional
            Animal of each recording, by the recording's name; by default those that files name.
        read, select : mapping, optional
            Options of :func:`microcolumn.read` for all files and of :meth:`Recording.select` for
            all recordings.
        **settings
            Fields of the instantaneous :class:`Experiment`. Those that do not describe the words
            or the hidden units hold for the spatiotemporal one as well. Of several bin widths
            there is an experiment for each, called ``"20 ms"``; the first answers questions.
        """
        origins = _named(recordings)
        sources = [_source(name, origin, read, select) for name, origin in origins.items()]
        owners = dict(expect("animals", animals or {}, Mapping, "animals by recording"))
        if unknown := next((name for name in owners if name not in origins), None):
            problem = f"names {unknown!r}, which is none of the recordings"
            raise BadArgument("animals", problem, did_you_mean(str(unknown), origins))
        sources = [replace(each, animal=owners.get(each.name, each.animal)) for each in sources]
        experiments = instantaneous(settings)
        if spatiotemporal:
            shared = {key: value for key, value in settings.items() if key not in _OF_WORDS}
            experiments.append(Experiment.from_dict("spatiotemporal", shared))
        return cls(tuple(sources), tuple(experiments))

    @classmethod
    def paper(cls) -> Plan:
        """The paper's protocol on simulated recordings (docs/method.md, section 7).

        It fits by minimum probability flow. Beside it stands what likelihood gives, on three of the
        ten splits, for the two models that the paper's conclusion rests on and for alternatives.
        """
        sources = tuple(Source(name, preset=name) for name in PRESETS)
        flow: dict[str, Any] = {"objectives": "mpf", "l1": PAPER_L1}
        instantaneous = replace(INSTANTANEOUS, split_by="words", n_hidden=(25,), **flow)
        likelihood = Experiment(
            "likelihood",
            models=tuple(name for name in INSTANTANEOUS.models if name != "SemiRBM"),
            n_hidden=(25,),
            n_splits=3,
            split_by="words",  # the same splits, so that only the objective differs
        )
        spatiotemporal = replace(SPATIOTEMPORAL, recordings=("B4",), choose_once=False, **flow)
        return cls(sources, (instantaneous, likelihood, spatiotemporal))

    @classmethod
    def from_toml(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file; paths in it are relative to the file.

        ::

            [recordings.B4]
            preset = "B4"                    # also seed and minutes
            [recordings.session1]
            file = "session1.nwb"
            depth_reference = "surface"      # any option of microcolumn.read
            animal = "m12"                   # by default the file's own, where it names one
            select = { min_rate_hz = 0.1 }   # any option of Recording.select

            [instantaneous]                  # any field of Experiment
            n_splits = 5
            [spatiotemporal]                 # even if empty: windows of 1 to 15 bins of 6.7 ms
            recordings = ["B4"]
            [experiments.coarse]             # more of them, from the instantaneous defaults
            bin_width = 0.040

        Without any experiment it is the instantaneous one.
        """
        path = Path(path)
        with in_file(path):
            try:
                return cls.from_dict(tomllib.loads(_text(path)), folder=path.parent)
            except tomllib.TOMLDecodeError as error:
                raise BadFile(f"it is not TOML: {error}", "correct that line") from None
            except RecursionError:
                problem = "it has lists or tables within each other that are too deep to read"
                raise BadFile(problem, "a plan has three levels") from None

    @classmethod
    def from_dict(cls, plan: Mapping[str, Any], folder: Path | None = None) -> Plan:
        """The plan that :meth:`as_dict` or a TOML file described.

        Parameters
        ----------
        plan : mapping
            Sections by name, see :meth:`from_toml`.
        folder : Path, optional
            What relative paths are relative to.
        """
        full = plan.get("whole")
        for section, content in plan.items():
            if section not in (*_SECTIONS, "whole"):
                own = f"an experiment of your own goes into [experiments.{section}]"
                remedy = f"{did_you_mean(section, _SECTIONS)} ({own})"
                raise BadInput(f"{section!r} is no section of a plan", remedy)
            expect(section, content, Mapping, f"a table, [{section}]")
        recordings = plan.get("recordings", {}).items()
        sources = [Source.from_dict(name, entry, folder) for name, entry in recordings]
        named = [(name, plan[name]) for name in _SECTIONS[1:3] if name in plan]
        named += plan.get("experiments", {}).items()
        experiments = [Experiment.from_dict(name, settings) for name, settings in named]
        planned = None if full is None else cls.from_dict(full, folder)
        return cls(tuple(sources), tuple(experiments) or (INSTANTANEOUS,), planned)

    def as_dict(self) -> dict[str, Any]:
        """The plan, defaults included, in the types of JSON."""
        return {
            "recordings": {source.name: source.as_dict() for source in self.sources},
            "experiments": {each.name: each.as_dict() for each in self.experiments},
            **({} if self.full is None else {"whole": self.full.as_dict()}),
        }

    def sources_of(self, experiment: Experiment) -> tuple[Source, ...]:
        """Sources of the recordings that an experiment is about, in the plan's order."""
        names = experiment.recordings or [source.name for source in self.sources]
        return tuple(source for source in self.sources if source.name in names)

    def quick(self) -> Plan:
        """The same plan made small, for a first look.

        At most 5 splits, 3 strengths of l1 or else the coarse grid made for the words, 10 hidden
        units unless their number is chosen, windows of 1, 2 and 4 bins (else the shortest planned)
        of 7 units, otherwise the 80 most active units unless the plan says how many, 30,000 words
        from all of the recording, 10 minutes of a preset, and 4,000 steps of annealing; for words
        of more than 64 bits the faster comparison (:class:`Experiment`). The result remembers the
        plan that it was made from, and a study of it says that it is a quick look.
        """
        sources = tuple(
            replace(each, minutes=min(each.minutes or PRESETS[each.preset].minutes, 10.0))
            if each.preset
            else each
            for each in self.sources
        )
        experiments = tuple(map(_quick_experiment, self.experiments))
        if (sources, experiments) == (self.sources, self.experiments):
            return self  # small already
        return Plan(sources, experiments, self.full or self)


def _quick_experiment(experiment: Experiment) -> Experiment:
    windows = tuple(n for n in experiment.windows if n in (1, 2, 4))
    hidden = [n if n == "auto" else 10 if n == "dims" else min(n, 10) for n in experiment.n_hidden]
    # A few strengths of a long list would leave the best one beyond their end.
    l1 = "coarse" if isinstance(experiment.l1, str) or len(experiment.l1) > 3 else experiment.l1
    # Four bins of seven units have few enough states for exact sums.
    several, n_units = max(experiment.windows) > 1, experiment.most_active
    return replace(
        experiment,
        most_active=min(n_units or 7, 7) if several else n_units or 80,
        n_splits=min(experiment.n_splits, 5),  # fewer decide nothing
        l1=l1,
        n_hidden=tuple(dict.fromkeys(hidden)),
        windows=windows or (min(experiment.windows),),
        max_words=min(experiment.max_words or 30_000, 30_000),
        max_steps=min(experiment.max_steps, 4000),
        fast_above_bits=min(experiment.fast_above_bits or 64, 64),
    )


def _named(recordings: Any) -> dict[str, RecordingLike]:
    """Origins by name; those without one get their stem, numbered where it is taken."""
    if isinstance(recordings, Mapping):
        return dict(recordings)
    if isinstance(recordings, str | Path | Recording | Source):
        recordings = [recordings]
    named: dict[str, RecordingLike] = {}
    for origin in listed("recordings", recordings, "pass paths, presets or recordings"):
        if isinstance(origin, Source):
            stem = origin.name
        elif isinstance(origin, str | Path):
            path = Path(urlsplit(str(origin)).path if is_url(origin) else origin)
            stem = path.stem or path.resolve().stem or "recording"
        else:
            stem = "recording"
        name, number = stem, 2
        while name in named:
            name, number = f"{stem} {number}", number + 1
        named[name] = origin
    return named


def _source(
    name: str, origin: Any, read: Mapping[str, Any] | None, select: Mapping[str, Any] | None
) -> Source:
    chosen = dict(select or {})
    if isinstance(origin, Source):
        return replace(origin, name=name, select={**origin.select, **chosen})
    if isinstance(origin, Recording):
        return Source(name, recording=origin, select=chosen)
    if isinstance(origin, str) and origin in PRESETS:
        return Source(name, preset=origin, select=chosen)
    if isinstance(origin, str | Path):
        entry = {**(read or {}), "file": str(origin), "select": chosen}
        return Source.from_dict(name, entry, folder=Path.cwd())
    raise BadType(f"recording {name}", f"is {origin!r}", "pass a path, a preset or a Recording")


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = f"{path} cannot be read ({error.strerror})"
        raise type(error)(f"{problem}; check the path of the plan and its permissions") from None
    if content.startswith(b"SQLite format 3"):
        remedy = "give the TOML file it was made from, or print it with 'microcolumn study report'"
        raise BadFile("it is a store, not a plan", remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFile(f"line {line} is not UTF-8 text", "save it as UTF-8") from None


def _check_distinct(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two {what} are called {name!r}", "give each its own name")


def diff(old: Plan, new: Plan) -> list[str]:
    """Each difference between two plans, such as "instantaneous: n_splits was 5, is 10"."""
    return worded_lines("study", "changes", before=old.as_dict(), after=new.as_dict())
