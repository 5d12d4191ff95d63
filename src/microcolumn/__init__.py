"""Models of how a recorded population of neurons works together."""

__version__ = "0.1.0"
