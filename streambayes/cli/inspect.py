"""`inspect`: the tables that a model holds, as text or JSON; what two models differ in."""

from __future__ import annotations

from ..learners.registry import learner_from
from ..records.problems import InputError, UsageError
from ..records.spelling import keys_of
from .options import (
    Complaints,
    Parser,
    add_input_options,
    agreeing,
    is_model_file,
    opened_stream,
    refuse_text,
    spelled_value,
)
from .output import say

HELP = """\
Print the tables that a model holds: counts and probabilities of each value by class, mean and
standard deviation of numeric attributes. FILE is a model file, or a stream that is learned first.

examples:
  python -m streambayes inspect examples/weather.csv
  python -m streambayes inspect -m nb:estimate=ml --json examples/weather.nominal.csv
  python -m streambayes inspect play.model
  python -m streambayes inspect --header play.model
  python -m streambayes inspect --diff monday.model tuesday.model"""


def loaded(options):
    """The learner in the model file that is named; None where it is a stream."""
    if len(options.files) != 1 or not is_model_file(options.files[0]):
        return None
    from ..modelfile import load

    learner = load(options.files[0])
    if options.model is not None:
        agreeing(learner, options.model, options.files[0])
    return learner


def learned(options):
    """The learner after a stream."""
    from ..evaluation.account import Account
    from ..evaluation.prequential import IS_MALFORMED, NEEDS_BYTES, Prequential

    learner = learner_from(options.model or "nb")
    stream = opened_stream(options, learner.schema)
    reader = stream.start()
    refuse_text(learner, stream.kinds_by_name())
    loop = Prequential(learner, Account(learner.schema))
    complaints = Complaints()
    while True:
        status = loop.run(reader, 1 << 62)
        if status == NEEDS_BYTES:
            if not stream.pump():
                return learner
        elif status == IS_MALFORMED:
            if options.on_error == "fail":
                raise InputError(reader.problem_message())
            complaints.add(reader.problem_message())


def as_data(learner) -> dict:
    """The tables as JSON can hold them."""
    keys = keys_of(learner.classes)
    tables = []
    for table in learner.tables():
        if "values" in table:
            values = [
                {
                    "value": value if isinstance(value, (str, bool, int, float)) else repr(value),
                    "n": dict(zip(keys, counts, strict=True)),
                    "p": dict(zip(keys, shares, strict=True)),
                }
                for value, counts, shares in table["values"]
            ]
            tables.append({"name": table["name"], "kind": table["kind"], "values": values})
        else:
            columns = {
                name: column if name == "cuts" else dict(zip(keys, column, strict=True))
                for name, column in table.items()
                if isinstance(column, list)
            }
            tables.append({"name": table["name"], "kind": "numeric", **columns})
    return {
        "model": {
            "name": learner.NAME,
            "parameters": learner.effective_parameters(),
            "learned": learner.learned,
        },
        "target": learner.schema.target,
        "classes": [{"label": y, "n": n, "p": p} for y, n, p in learner.priors()],
        "attributes": tables,
    }


def as_text(learner) -> str:
    """The tables as the lecture prints them: a count and a probability a class."""
    from .summary import _table

    labels = keys_of(learner.classes)
    lines = [f"{learner.NAME}, {learner.learned} record{'s' * (learner.learned != 1)} learned"]
    rows = [[learner.schema.target or "label", *labels]]
    priors = learner.priors()
    rows.append(["n", *(f"{n:g}" for _, n, _ in priors)])
    rows.append(["P", *(f"{p:.4f}" for _, _, p in priors)])
    lines += _table(rows, "")
    for table in learner.tables():
        lines.append("")
        rows = [[f"{table['name']} ({table['kind']})", *labels]]
        if "values" in table:
            plain = [
                value if isinstance(value, (str, bool, int, float)) else repr(value)
                for value, _, _ in table["values"]
            ]
            for text, (_, counts, shares) in zip(keys_of(plain), table["values"], strict=True):
                rows.append(
                    [f"  {text}", *(f"{n:g}  {p:.4f}" for n, p in zip(counts, shares, strict=True))]
                )
        else:
            for name in ("n", "mean", "sd"):
                rows.append([f"  {name}", *("-" if x is None else f"{x:.6g}" for x in table[name])])
        lines += _table(rows, "")
    return "\n".join(lines)


def header(path: str, as_json: bool) -> str:
    """What a model file says of itself; the model isn't built."""
    import json

    from ..modelfile import load_header

    found = load_header(path)
    if as_json:
        data = {
            "model": found.model,
            "parameters": found.parameters,
            "learned": found.learned,
            "target": found.target,
            "arrays": [{"name": name, "bytes": size} for name, size in found.arrays],
        }
        return json.dumps(data, ensure_ascii=False)
    lines = [f"{found.model}, {found.learned} records learned, target: {found.target or 'none'}"]
    for name, value in found.parameters.items():
        lines += [f"  {name}={spelled_value(value)}"] if value is not None else []
    lines += [f"  {size:>12} bytes of {name}" for name, size in found.arrays]
    return "\n".join(lines)


def difference(paths: list[str], as_json: bool) -> str:
    """What two model files differ in."""
    import json

    from ..modelfile import load
    from . import differences

    changes = differences.differences(*map(load, paths))
    if as_json:
        return json.dumps(changes, ensure_ascii=False, allow_nan=False)
    return differences.as_text(changes, (paths[0], paths[1]))


def main(arguments: list[str]) -> int:
    p = Parser(
        prog="streambayes inspect",
        usage="python -m streambayes inspect [OPTIONS] [FILE …]",
        description=HELP,
    )
    add_input_options(p)
    p.add_argument(
        "-m",
        "--model",
        metavar="NAME[:KEY=VALUE,…]",
        help="the model that learns a stream (default nb)",
    )
    p.add_argument("--header", action="store_true", help="only what a model file says of itself")
    p.add_argument("--diff", action="store_true", help="what two model files differ in")
    p.add_argument("--json", action="store_true", help="as one JSON object")
    p.add_argument(
        "--plot", metavar="FILE.png|svg|pdf", help="draw the tables as well (needs matplotlib)"
    )
    options = p.parse_intermixed_args(arguments)
    if options.header and options.diff:
        raise UsageError("--header is about one model, --diff about two; leave one out")
    if options.header:
        if len(options.files) != 1:
            raise UsageError("--header needs one model file; name it")
        say(header(options.files[0], options.json))
        return 0
    if options.diff:
        if len(options.files) != 2:
            raise UsageError("--diff needs two model files; name them")
        say(difference(options.files, options.json))
        return 0
    if options.plot:
        from ..evaluation.plots import check_picture_file, require_matplotlib

        check_picture_file(options.plot)
        require_matplotlib()
    learner = loaded(options) or learned(options)
    if options.json:
        import json

        say(json.dumps(as_data(learner), ensure_ascii=False, allow_nan=False))
    else:
        say(as_text(learner))
    if options.plot:
        from .report import draw_model

        draw_model(options.plot, learner)
    return 0
