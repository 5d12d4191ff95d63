"""The tables of a study's store, as SQL, so that any SQLite client can query them.

Columns marked JSON hold text made by :func:`json_text`. A number that is not there (nan) is NULL.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any

#: ``PRAGMA application_id``, the bytes "MCst": tells a study from any other SQLite database.
APPLICATION_ID = 0x4D437374
#: ``PRAGMA user_version``: raised whenever a table changes.
FORMAT_VERSION = 1

# The comments stand inside the statements because SQLite keeps them there: `.schema` shows them.
SCHEMA = """
CREATE TABLE study (
  -- A row is one fact about the whole study: plan (JSON), microcolumn (version), created (UTC),
  -- command, and runner (the process that works on it, or that died at it).
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE recordings (
  -- A row is one recording of the plan, as it was when last read.
  name TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,  -- sha256 of spike times, units and epochs
  source TEXT,
  n_units INTEGER,
  n_spikes INTEGER,
  duration_s REAL,
  units TEXT,   -- JSON: [{id, layer, depth_um, depth_reference, rate_hz, multiunit}, ...]
  notes TEXT,   -- JSON
  survey TEXT   -- JSON
) STRICT;

CREATE TABLE environments (
  -- A row is one set of software versions and a machine that jobs were computed with.
  id INTEGER PRIMARY KEY,
  versions TEXT NOT NULL UNIQUE  -- JSON
) STRICT;

CREATE TABLE jobs (
  -- A row is one finished job. Its fingerprint, not its recording's name, says which data it saw:
  -- data may change under a name, and the old jobs stay.
  digest TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,  -- fit, normalise, test, predict or structure
  recording TEXT NOT NULL,
  experiment TEXT NOT NULL,
  window INTEGER,
  split INTEGER,
  model TEXT,
  n_hidden INTEGER,
  objective TEXT,
  variant TEXT,
  penalty REAL,
  seed INTEGER,
  fingerprint TEXT,
  settings TEXT,  -- JSON
  warnings TEXT,  -- JSON
  seconds REAL,
  finished TEXT NOT NULL,  -- UTC
  environment INTEGER NOT NULL REFERENCES environments (id)
) STRICT;

CREATE TABLE fits (
  -- A row is the model fitted at one penalty of a fit job's path, with its certificate.
  job TEXT NOT NULL REFERENCES jobs (digest),
  penalty REAL NOT NULL,
  value REAL,
  optimality REAL,
  converged INTEGER,
  n_iter INTEGER,
  n_live_hidden INTEGER,
  n_couplings INTEGER,
  n_nonzero INTEGER,
  model BLOB,     -- a safetensors file
  PRIMARY KEY (job, penalty)
) STRICT;

CREATE TABLE normalisers (
  -- A row is one fit's log Z (nats), how far to trust it, and its score on the validation part.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  log_z REAL,
  stderr REAL,
  method TEXT,
  converged INTEGER,
  n_operations REAL,
  effective_sample_size REAL,
  reverse REAL,
  reverse_stderr REAL,
  n_steps INTEGER,
  trace TEXT,  -- JSON: [[steps, value, stderr], ...]
  frequent_words REAL,
  validation_bits_per_second REAL,
  validation_stderr REAL
) STRICT;

CREATE TABLE scores (
  -- A row is one variant's chosen model on the test part of a split.
  job TEXT NOT NULL REFERENCES jobs (digest),
  variant TEXT NOT NULL,
  penalty REAL,
  bits_per_second REAL,
  block_stderr REAL,
  normaliser_stderr REAL,
  normaliser TEXT,
  converged INTEGER,
  nats_per_word REAL,
  n_words INTEGER,
  n_live_hidden INTEGER,
  n_couplings INTEGER,
  n_nonzero INTEGER,
  PRIMARY KEY (job, variant)
) STRICT;

CREATE TABLE differences (
  -- A row is the test score of one variant minus another's, paired over the same blocks.
  job TEXT NOT NULL REFERENCES jobs (digest),
  first TEXT NOT NULL,
  second TEXT NOT NULL,
  bits_per_second REAL,
  block_stderr REAL,
  PRIMARY KEY (job, first, second)
) STRICT;

CREATE TABLE predictions (
  -- A row is how well one unit's spikes are predicted by one variant's chosen model.
  job TEXT NOT NULL REFERENCES jobs (digest),
  given TEXT NOT NULL,  -- what the prediction knows
  position INTEGER NOT NULL,  -- of the unit among the experiment's units
  unit TEXT,
  rate_hz REAL,
  gain_bits_per_second REAL,
  roc_area REAL,
  brier REAL,
  rate_brier REAL,
  PRIMARY KEY (job, given, position)
) STRICT;

CREATE TABLE calibrations (
  -- A row is predicted against observed frequency of spikes, all units together.
  job TEXT NOT NULL REFERENCES jobs (digest),
  given TEXT NOT NULL,
  predicted TEXT,  -- JSON, as the next four
  observed TEXT,
  lower TEXT,
  upper TEXT,
  n_bins TEXT,
  error REAL,
  PRIMARY KEY (job, given)
) STRICT;

CREATE TABLE structures (
  -- A row is what one variant's chosen model says about layers and higher-order interactions.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  layers TEXT,  -- JSON, NULL where the units have no layers
  interactions TEXT  -- JSON
) STRICT;

CREATE TABLE failures (
  -- A row is a job that raised an error when last tried; it goes when the job finishes.
  digest TEXT NOT NULL PRIMARY KEY,
  job TEXT,
  error TEXT,
  traceback TEXT,
  happened TEXT NOT NULL  -- UTC
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table: each one's SQL type, and those of the primary key in order."""

    types: dict[str, str]
    key: tuple[str, ...]


@cache
def tables() -> dict[str, Table]:
    """All tables by name, as SQLite itself understands :data:`SCHEMA`."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name: _table(connection, name) for (name,) in names.fetchall()}


def json_text(value: Any) -> str:
    """Content of a JSON column; a number that is not there (nan) is null."""
    return json.dumps(_without_nan(value), allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _table(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(
        "SELECT name, type, pk FROM pragma_table_info(?)", (name,)
    ).fetchall()
    key = sorted((place, column) for column, _, place in columns if place)
    return Table({column: kind for column, kind, _ in columns}, tuple(column for _, column in key))
