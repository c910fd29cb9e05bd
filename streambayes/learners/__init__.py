"""Learners: one file a model, each opening with its equations."""
