"""What commands say of a fitted model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

#: Attributes of a fitted model that ``--json`` prints, without their underscore.
_OF_FITS = "objective", "optimality", "n_iter", "n_parameters", "n_live_hidden", "n_couplings"


def certificate(model: Any) -> list[tuple[str, str]]:
    """How well the solver converged, what the penalty left of the model, and log Z."""
    if not hasattr(model, "parameters_"):
        return _of_alternative(model)
    n_bits = model.n_features_in_
    penalty = f", l1 {model.l1:g}, {model.objective}" if hasattr(model, "l1") else ""
    tol = getattr(model, "tol", None)
    within = "" if tol is None else f" (tolerance {tol:g})"
    if hasattr(model, "n_hidden") and not (model.l1 or model.group_l1):
        within = " (without a penalty; words kept apart ended the fit)"
    convergence = ("optimality", f"{model.optimality_:.2g}{within}")
    sampled = _sampled_certificate(model)
    if sampled is not None:
        gain, stderr = (sampled[f"{name}_bits_per_second"] for name in ("gain", "stderr"))
        z = f"mean square z {sampled['mean_square_z']:.2f} over {sampled['n_moments']:,} moments"
        least = "" if sampled["converged"] else "at least "
        left = f"{least}{gain:.2g} ± {stderr:.1g} bits/s still to be gained"
        convergence = ("certificate", f"{z}, {left}")
    couplings = f"{model.n_couplings_} of {n_bits * (n_bits - 1) // 2} pairs"
    return [
        ("model", f"{type(model).__name__}{penalty}"),
        convergence,
        ("iterations", f"{model.n_iter_:,}"),
        *([("hidden", _hidden_units(model))] if model.parameters_.W is not None else []),
        *([("couplings", couplings)] if model.parameters_.J is not None else []),
        ("normaliser", str(model.log_partition())),
    ]


def _of_alternative(model: Any) -> list[tuple[str, str]]:
    """The same of a model outside the paper's family."""
    found = getattr(model, "certificate_", None)
    size = f", {model.size_}" if model.size_ else ""
    rows = [("model", f"{type(model).__name__}{size}")]
    if found is not None:
        doubt = "" if found.converged else ", not converged"
        rows.append(("optimality", f"{found.optimality:.2g}{doubt}"))
    rows.append(("parameters", f"{model.n_parameters_:,}"))
    return [*rows, ("normaliser", str(model.log_partition()))]


def _hidden_units(model: Any) -> str:
    """How many hidden units are live and, where none of them is, what that makes of the model."""
    counted = f"{model.n_live_hidden_} live of {model.W_.shape[1]}"
    if model.n_live_hidden_:
        return counted
    left = "an Ising model" if model.n_couplings_ else "a model of independent units"
    return f"{counted}: this is {left}"


def as_dict(model: Any) -> dict[str, Any]:
    """A fitted model as ``--json`` prints it: what it is of, its settings and its certificate."""
    log_z, words_info = model.log_partition(), model.words_info_
    return {
        "model": type(model).__name__,
        "settings": model.get_params(),
        "units": model.unit_ids_,
        "bin_width_s": model.bin_width_,
        "window": window_of(model),
        "trained_from_s": words_info and words_info.start_s,
        "trained_to_s": words_info and words_info.stop_s,
        "n_words": words_info and words_info.n_bins,
        "certificate": _sampled_certificate(model),
        **{name: getattr(model, f"{name}_", None) for name in _OF_FITS},
        "log_partition": {"nats": log_z.value}
        | {name: getattr(log_z, name) for name in ("stderr", "method", "spurious_mass")},
    }


def _sampled_certificate(model: Any) -> dict[str, Any] | None:
    """What fresh chains say of a sampled likelihood; None for other fits."""
    found = getattr(model, "certificate_", None)
    if found is None or found.mean_square_z is None:
        return None
    gain, stderr = found.gain_bits_per_second(model.bin_width_ * window_of(model))
    return asdict(found) | {"gain_bits_per_second": gain, "stderr_bits_per_second": stderr}


def window_of(model: Any) -> int:
    """Bins per word; 1 where a model does not know."""
    return int(getattr(model, "window_", 1))
