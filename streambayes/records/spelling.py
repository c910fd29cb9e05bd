"""How labels are spelled as text and as keys of a JSON object."""

from __future__ import annotations

import json


def spelled(label) -> str:
    """A label as text: strings as they are; 1, 2.5 and true as JSON has them."""
    return label if isinstance(label, str) else json.dumps(label)


def keys_of(labels) -> list[str]:
    """Labels as keys of one JSON object.

    A string that looks like another label of another type is written as JSON: beside 1, the string
    "1" becomes "\\"1\\"".
    """
    others = {spelled(y) for y in labels if not isinstance(y, str)}
    return [json.dumps(y, ensure_ascii=False) if isinstance(y, str) and y in others else spelled(y)
            for y in labels]
