"""Test then train: the prequential loop and what it accounts for."""
