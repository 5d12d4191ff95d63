"""How a sampled likelihood draws words and judges them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SamplerSettings:
    """Numbers that tune a search and its certificate."""

    # Chains that draw words, sweeps before the first word of a round, and between two of a chain.
    # Words one sweep apart are nearly independent where few units are active.
    n_chains: int = 4096
    settling: int = 24
    between: int = 1
    # Words of a round.
    fewest_draws: int = 1 << 15
    most_draws: int = 1 << 20
    # Words of the first round times the strength of the L1 penalty.
    draws_per_strength: float = 32.0
    # Words of the last rounds together for each parameter that is not zero: the noise of as many
    # costs 1 / 4000 nats per word.
    draws_per_parameter: float = 2000.0
    # Times the likelihood that need not be gained, which their noise may cost at most; fewer words
    # are enough for that.
    resolutions_of_noise: float = 3.0
    nearly: float = 0.9  # share of these words that is enough
    # Rounds whose words count together: fewer if they have enough, and so many times as many as the
    # certificate, whose errors they must not exceed. Rounds of one search.
    rounds_kept: int = 4
    times_judged: float = 4.0
    most_rounds: int = 120
    # A step goes as far as the first share of the draws still counts; no trial goes beyond the
    # second.
    step_share: float = 0.5
    least_share: float = 0.2
    # Share at which a step has changed so little that it makes no new mode, that the same words
    # stand for its end, and that new words alone tell log Z.
    same_share: float = 0.98
    # Steps between two looks at that share, and of one round.
    steps_per_look: int = 5
    most_steps: int = 200
    # A round's search has come to its end at this optimality, or where it gains less between two
    # looks than this share of what fitting noise gains.
    tolerance: float = 1e-8
    finished: float = 0.05
    # Times what fitting noise gains, below which noise hides what a round gained; so many times
    # more after a small step.
    noise_factor: float = 3.0
    close_factor: float = 4.0
    halvings: int = 4  # of a step that makes mass which the words had not predicted
    most_surprise: float = 0.2  # nats by which log Z may exceed what was predicted
    # A mode is unvisited if it holds more than the first share of the mass, and so many times what
    # chains there say.
    unvisited_share: float = 0.01
    unvisited_factor: float = 2.0
    # Modes that one search looks at, that are remembered, and words of each.
    most_modes: int = 6
    modes_kept: int = 32
    mode_draws: int = 256
    # Coupled units from which on words are spread over all numbers of active units, and how many
    # words of a round are at least.
    spread_units: int = 64
    spread_draws: int = 1 << 14
    spread_per_parameter: float = 10.0  # the same for each parameter that is not zero
    # From so many units on, words of pairwise models are drawn by strata of their number of active
    # units: phases of a model that chains hardly ever leave have masses of their own.
    stratum_units: int = 200
    # Chains of each stratum of the number of active units for the fit, and for its mass.
    stratum_chains: int = 512
    stratum_witnesses: int = 512
    # Sweeps of a round, and chains and steps of an annealing that finds the mass of a stratum.
    stratum_sweeps: int = 8
    annealed_chains: int = 128
    annealing_steps: int = 150
    rough_rounds: int = 12  # rounds at most of a search by strata that need not come to its end
    # A mode is underrated if it holds so many times what such words say; its mass is rough.
    underrated_factor: float = 5.0
    group_draws: int = 32  # draws of each group of numbers of active units
    # Times that chains find the potential which spreads them at a start, and nats by which the last
    # time changes it.
    most_flattenings: int = 12
    flat: float = 0.7
    # Log share of the mass below which a number of active units is not sought.
    negligible: float = -60.0
    # Fresh chains of the certificate, sweeps before their first word, words of each and sweeps
    # between them.
    judging_chains: int = 2048
    judging_settling: int = 100
    judging_words: int = 32
    judging_between: int = 4

    def whole_chains(self, n_draws: float) -> int:
        """So many words of a round, within bounds, the same number from each chain."""
        within = min(max(int(n_draws), self.fewest_draws), self.most_draws)
        return max(within // self.n_chains, 1) * self.n_chains
