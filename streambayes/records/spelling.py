"""How labels are spelled as text and as keys of a JSON object or a dict."""

from __future__ import annotations


def spelled(label) -> str:
    """A label as text: strings as they are; 1, 2.5 and true as JSON has them."""
    return label if isinstance(label, str) else json_text(label)


def json_text(value) -> str:
    import json  # most streams have strings for labels, and no need of it

    return json.dumps(value, ensure_ascii=False)


def keys_of(labels) -> list[str]:
    """Labels as keys of one JSON object.

    A string that looks like another label of another type is written as JSON: beside 1, the string
    "1" becomes "\\"1\\"".
    """
    taken = {spelled(y) for y in labels if not isinstance(y, str)}
    return _apart([spelled(y) for y in labels], labels, taken)


def dict_keys_of(labels) -> list:
    """Labels as keys of one Python dict, for which True and 1 are one.

    A label that equals an earlier one of another type becomes its JSON text ("true"), a string that
    is spelled like such a text its own JSON.
    """
    keys, seen, taken = [], set(), set()
    for y in labels:
        if y in seen:
            y = spelled(y)
            taken.add(y)
        else:
            seen.add(y)
        keys.append(y)
    return _apart(keys, labels, taken) if taken else keys


def _apart(keys: list, labels, taken: set[str]) -> list:
    """The keys, strings whose text is taken written as JSON, and so on for texts like that."""
    written = True
    while written:
        written = False
        for i, y in enumerate(labels):
            if isinstance(y, str) and keys[i] == y and y in taken:
                keys[i] = json_text(y)
                taken.add(keys[i])
                written = True
    return keys
