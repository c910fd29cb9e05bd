"""Bytes, dicts and data frames to records."""
