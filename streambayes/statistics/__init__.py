"""Sums and the verbs around them: add, subtract, merge, scale, read."""
