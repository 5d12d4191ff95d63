"""The few hot loops. No model, no estimator and no file is known in here."""
