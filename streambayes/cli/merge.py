"""`merge`: models learned from different parts of a stream, added up."""

from __future__ import annotations

from ..records.problems import ModelFileError, UsageError
from .options import Parser

HELP = """\
Add up models that were learned from different parts of a stream, or on different machines.

Labels, attributes and values come in the order of the first model that knows them. The counts are
those of one pass over all parts, to the bit where weights are whole numbers; means and variances
may differ from its in the last digits, because sums of doubles depend on their order.

examples:
  python -m streambayes merge monday.model tuesday.model -o week.model
  python -m streambayes merge parts/*.model -o whole.model"""


def merged(paths: list[str]):
    """The sum of the models in files.

    Raises
    ------
    ModelFileError
        For a file that is no model, and models that don't add up.
    """
    from ..modelfile import load

    total = load(paths[0])
    for path in paths[1:]:
        try:
            total.merge(load(path))
        except ValueError as e:
            raise ModelFileError(f"{path}: it can't be added to {paths[0]}: {e}") from None
    return total


def main(arguments: list[str]) -> int:
    p = Parser(
        prog="streambayes merge",
        usage="python -m streambayes merge MODEL MODEL … -o FILE",
        description=HELP,
    )
    p.add_argument("models", nargs="+", metavar="MODEL", help="model files")
    p.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="where the sum goes; it may be one of the models",
    )
    options = p.parse_intermixed_args(arguments)
    if len(options.models) < 2:
        raise UsageError("one model is its own sum; name two or more")
    from ..modelfile import check_writable

    check_writable(options.output)
    merged(options.models).save(options.output)
    return 0
