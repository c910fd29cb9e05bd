"""`models`: each model with its parameters and defaults."""

from __future__ import annotations

from ..learners.registry import MODELS, learner_class
from .options import Parser


def described() -> list[dict]:
    """Name, sentence and parameters of each model."""
    rows = []
    for name, (_, cls, sentence) in MODELS.items():
        parameters = [{"name": p.name, "default": p.default, "choices": list(p.choices), "sentence": p.sentence}
                      for p in learner_class(name).PARAMETERS]
        rows.append({"name": name, "class": cls, "sentence": sentence, "parameters": parameters})
    return rows


def main(arguments: list[str]) -> int:
    p = Parser(prog="streambayes models", usage="python -m streambayes models [--json]", allow_abbrev=False,
               description="List the models with their parameters and defaults.")
    p.add_argument("--json", action="store_true", help="as one JSON list")
    options = p.parse_args(arguments)
    rows = described()
    if options.json:
        import json

        print(json.dumps(rows, ensure_ascii=False))
        return 0
    for row in rows:
        print(f"{row['name']:<8} {row['sentence']}")
        for q in row["parameters"]:
            default = "" if q["default"] is None else f"={str(q['default']).lower() if q['default'] in (True, False) and isinstance(q['default'], bool) else q['default']}"
            choices = f" ({', '.join(q['choices'])})" if q["choices"] else ""
            print(f"    {q['name'] + default:<20} {q['sentence']}{choices}")
    return 0
