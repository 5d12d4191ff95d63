"""What commands say of a fitted model."""

from dataclasses import asdict
from typing import Any

from ..wording import worded_lines

#: Attributes of a fitted model that ``--json`` prints, without their underscore.
_OF_FITS = "objective", "optimality", "n_iter", "n_parameters", "n_live_hidden", "n_couplings"


def certificate(model: Any) -> list[list[str]]:
    """What a model is, how well its fit converged, what the penalty left of it, and log Z."""
    lines = worded_lines(
        "cli",
        "certificate",
        model=model,
        kind=type(model).__name__,
        n_bits=model.n_features_in_,
        found=getattr(model, "certificate_", None),
        sampled=_sampled_certificate(model),
        log_z=model.log_partition(),
    )
    return [line.split(": ", 1) for line in lines]


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
