-- The tables of a study's store, whose views of results `_schema.py` adds. The comments stand
-- inside the statements because SQLite keeps them there: `.schema` shows them.

CREATE TABLE study (
  -- A row is one fact about the study: plan (JSON), microcolumn (version), created (UTC),
  -- command, and runner (the process that works on it, or that died at it).
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE recordings (
  -- A row is one recording of the plan, as it was when last read.
  name TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,  -- sha256 of spike times, units and epochs
  source TEXT, n_units INTEGER, n_spikes INTEGER, duration_s REAL,
  simulated INTEGER,  -- 1 if its spikes come from a simulation
  units TEXT,   -- JSON: [{id, layer, depth_um, depth_reference, rate_hz, multiunit,
                --        area and probe where known}, ...]
  notes TEXT,   -- JSON
  survey TEXT,  -- JSON
  planted_groups TEXT  -- JSON: {name: [unit, ...]} of a simulation, NULL where not known
) STRICT;

CREATE TABLE environments (
  -- A row is one set of software versions and a machine that jobs were computed with.
  id INTEGER PRIMARY KEY,
  versions TEXT NOT NULL UNIQUE  -- JSON
) STRICT;

CREATE TABLE planned (
  -- A row is one job of the present plan, finished or not, in the order they are done.
  position INTEGER NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL, recording TEXT NOT NULL, experiment TEXT NOT NULL, window INTEGER,
  split INTEGER,
  model TEXT  -- such as RBM 25, or RBM 25 mpf
) STRICT;

CREATE TABLE jobs (
  -- A row is one finished job. Its fingerprint, not its recording's name, says which data it saw:
  -- data may change under a name, and the old jobs stay.
  digest TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,  -- describe, fit, test, patterns, anneal, predict, structure or assemblies
  recording TEXT NOT NULL, experiment TEXT NOT NULL, window INTEGER, split INTEGER, model TEXT,
  fingerprint TEXT,
  settings TEXT,  -- JSON
  warnings TEXT,  -- JSON
  seconds REAL,
  finished TEXT NOT NULL,  -- UTC
  environment INTEGER NOT NULL REFERENCES environments (id)
) STRICT;

CREATE TABLE descriptions (
  -- A row is the data of one experiment on a recording.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  words BLOB,  -- NPZ: all words of single bins, with their times and units
  data BLOB    -- NPZ: units, rates, busiest stretch, correlogram
) STRICT;

CREATE TABLE fits (
  -- A row is the model fitted at one l1 of a fit job's path, with its certificate.
  job TEXT NOT NULL REFERENCES jobs (digest),
  l1 REAL NOT NULL,  -- 0 for alternatives without a penalty, of which only the chosen fit is kept
  value REAL, optimality REAL, converged INTEGER, n_iter INTEGER,
  n_live_hidden INTEGER, n_couplings INTEGER, n_nonzero INTEGER, n_parameters INTEGER,
  -- Of an alternative, or at each number of hidden units where that was chosen:
  tried TEXT,  -- JSON: [{settings, validation_bits_per_second}, ...]
  file BLOB,     -- a safetensors file
  PRIMARY KEY (job, l1)
) STRICT;

CREATE TABLE normalisers (
  -- A row is one fit's log Z (nats), how far to trust it, and its score on the validation part.
  job TEXT NOT NULL REFERENCES jobs (digest),
  l1 REAL NOT NULL,
  value REAL,  -- log Z
  stderr REAL,
  method TEXT,  -- exact or ais
  side TEXT,  -- states that an exact sum ran over: visible or hidden
  converged INTEGER, n_operations REAL, effective_sample_size REAL, reverse REAL,
  reverse_stderr REAL, n_steps INTEGER,
  trace TEXT,  -- JSON: [[steps, value, stderr], ...]
  lower_bound REAL,  -- log of the sum over words that are known
  modes TEXT,  -- JSON: [{share, stderr, n_active, seen}, ...]
  frequent_words REAL,
  false_mass REAL,  -- share of the model's mass in modes without any training word
  validation_bits_per_second REAL, validation_stderr REAL,
  activation TEXT,  -- JSON: mean and variance of each hidden unit on the test part
  PRIMARY KEY (job, l1)
) STRICT;

CREATE TABLE scores (
  -- A row is one model, at the l1 chosen on the validation part, on the test part of a split.
  job TEXT NOT NULL REFERENCES jobs (digest),
  model TEXT NOT NULL, l1 REAL, bits_per_second REAL, stderr REAL, normaliser_stderr REAL,
  normaliser TEXT, side TEXT, normaliser_converged INTEGER, fit_converged INTEGER,
  optimality REAL, nats_per_word REAL, n_words INTEGER, n_hidden INTEGER, n_live_hidden INTEGER,
  n_couplings INTEGER, n_nonzero INTEGER, n_parameters INTEGER,
  size TEXT,  -- what the validation part chose for an alternative, such as 60 components
  lift REAL,  -- bits/s that a Dirichlet process around the model adds
  false_mass REAL,  -- share of the model's mass in modes where no training word lies
  spikes_per_second REAL,  -- of all units together; several spikes in a bin count as one
  gain_by_cell TEXT,  -- JSON: bits/s that each stretch of time adds to the score
  share_by_cell TEXT,  -- JSON: its share of the test words
  gain_by_active TEXT,  -- JSON: bits/s that words with 0, 1, 2, ... active bits add
  PRIMARY KEY (job, model)
) STRICT;

CREATE TABLE patterns (
  -- A row is what one model expects of the test words of a split, and what was observed.
  job TEXT NOT NULL REFERENCES jobs (digest),
  model TEXT NOT NULL,  -- or data, which has no statistics
  l1 REAL,
  statistics BLOB,  -- NPZ: observed and expected frequency of each distinct test word
  synchrony BLOB,  -- NPZ: distribution of the number of active bits
  PRIMARY KEY (job, model)
) STRICT;

CREATE TABLE adequacies (
  -- A row is how well one model describes the test words of a split, and what could be gained.
  job TEXT NOT NULL REFERENCES jobs (digest),
  model TEXT NOT NULL,  -- or data
  adequacy TEXT,  -- JSON; NULL for data
  moments BLOB,  -- NPZ: covariances of pairs and third moments of triplets; NULL for data
  explainable TEXT,  -- JSON, of data alone: what the best possible model would gain
  PRIMARY KEY (job, model)
) STRICT;

CREATE TABLE annealings (
  -- A row is how annealed importance sampling of one fit converges with its steps.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  l1 REAL,
  convergence BLOB  -- NPZ
) STRICT;

CREATE TABLE predictions (
  -- A row is how well one unit's spikes are predicted by one model, at its chosen l1.
  job TEXT NOT NULL REFERENCES jobs (digest),
  given TEXT NOT NULL,  -- what the prediction knows
  position INTEGER NOT NULL,  -- of the unit among the experiment's units
  unit TEXT, rate_hz REAL, gain_bits_per_second REAL, roc_area REAL, brier REAL,
  rate_brier REAL,
  PRIMARY KEY (job, given, position)
) STRICT;

CREATE TABLE calibrations (
  -- A row is predicted against observed frequency of spikes, all units together.
  job TEXT NOT NULL REFERENCES jobs (digest),
  given TEXT NOT NULL,
  predicted TEXT,  -- JSON, as the next four
  observed TEXT, lower TEXT, upper TEXT, n_bins TEXT, error REAL,
  PRIMARY KEY (job, given)
) STRICT;

CREATE TABLE structures (
  -- A row is what one model at its chosen l1 says about layers and higher-order interactions.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  layers TEXT,  -- JSON, NULL where the units have no layers
  interactions TEXT,  -- JSON
  intervals BLOB  -- NPZ, of the Ising model of the first split: without penalty
) STRICT;

CREATE TABLE assemblies (
  -- A row is the hidden units of one model in split 0, matched with those of all other splits.
  job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (digest),
  found TEXT  -- JSON
) STRICT;

CREATE TABLE failures (
  -- A row is a job that raised an error when last tried; it goes when the job finishes.
  digest TEXT NOT NULL PRIMARY KEY,
  job TEXT, error TEXT, traceback TEXT,
  happened TEXT NOT NULL  -- UTC
) STRICT;

CREATE VIEW current_jobs AS SELECT planned.position, planned.digest, planned.kind,
  planned.recording, planned.experiment, planned.window, planned.split, planned.model,
  jobs.warnings, jobs.seconds, jobs.finished, environments.versions AS environment,
  failures.job AS failed, failures.error
FROM planned LEFT JOIN jobs ON jobs.digest = planned.digest
LEFT JOIN environments ON environments.id = jobs.environment
LEFT JOIN failures ON failures.digest = planned.digest;
