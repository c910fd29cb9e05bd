"""`models`: each model with its parameters and defaults."""

from __future__ import annotations

from ..learners.registry import MODELS, learner_class
from .options import Parser
from .output import say


def described() -> list[dict]:
    """Name, sentence and parameters of each model."""
    rows = []
    for name, (_, cls, sentence) in MODELS.items():
        parameters = [
            {
                "name": p.name,
                "default": p.default,
                "choices": list(p.choices),
                "sentence": p.sentence,
            }
            for p in learner_class(name).PARAMETERS
        ]
        rows.append({"name": name, "class": cls, "sentence": sentence, "parameters": parameters})
    return rows


def lines_of(row: dict) -> list[str]:
    """A model and its parameters for a person."""
    lines = [f"{row['name']:<8} {row['sentence']}"]
    for q in row["parameters"]:
        default = str(q["default"]).lower() if isinstance(q["default"], bool) else q["default"]
        name = q["name"] if default is None else f"{q['name']}={default}"
        choices = f" ({', '.join(q['choices'])})" if q["choices"] else ""
        lines.append(f"    {name:<20} {q['sentence']}{choices}")
    return lines


def main(arguments: list[str]) -> int:
    p = Parser(prog="streambayes models", usage="python -m streambayes models [--json]",
               description="List the models with their parameters and defaults.")
    p.add_argument("--json", action="store_true", help="as one JSON list")
    options = p.parse_args(arguments)
    rows = described()
    if options.json:
        import json

        say(json.dumps(rows, ensure_ascii=False))
        return 0
    say("\n".join(line for row in rows for line in lines_of(row)))
    return 0
