"""The whole experiment: plan, jobs, store and results of a comparison of models."""
