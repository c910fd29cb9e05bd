"""`edges`: the edges of bins that a stream's numeric attributes call for, as a `bins_file`."""

from __future__ import annotations

from .inspect import learned
from .options import Parser, add_input_options
from .output import say

HELP = """\
Read a stream and print the edges between the bins of its numeric attributes, as JSON of column to
ascending edges: what the parameter bins_file takes. Models that are learned with the same edges add
up (see merge).

examples:
  python -m streambayes edges examples/weather.csv
  python -m streambayes edges big.csv.gz > edges.json
  python -m streambayes -q -m haode:bins_file=edges.json --save part.model part.csv"""


def main(arguments: list[str]) -> int:
    p = Parser(
        prog="streambayes edges",
        usage="python -m streambayes edges [OPTIONS] [FILE …]",
        description=HELP,
    )
    add_input_options(p)
    p.add_argument(
        "-m",
        "--model",
        default="nb-disc",
        metavar="nb-disc[:KEY=VALUE,…]",
        help="how to discretise: nb-disc's bins, warmup and cuts",
    )
    options = p.parse_intermixed_args(arguments)
    if options.model.partition(":")[0] != "nb-disc":
        p.error(f"-m {options.model}: only nb-disc discretises alone; give its parameters")
    import json

    say(json.dumps(learned(options).cuts(), ensure_ascii=False))
    return 0
