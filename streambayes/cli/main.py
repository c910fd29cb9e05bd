"""Which command; what it exits with."""

from __future__ import annotations

import sys

COMMANDS = {
    # name: one line
    "run": "predict, print, account for and learn each record (the default)",
    "compare": "several models on one stream, or cross-validated on data sets",
    "models": "list the models with their parameters",
    "inspect": "print the tables that a model holds, and what two models differ in",
    "merge": "add up models that were learned from parts of a stream",
    "edges": "print the edges of a stream's bins, for models that are to be merged",
}


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; answers the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    name = "run"
    if arguments and arguments[0] in COMMANDS:
        name, arguments = arguments[0], arguments[1:]
    from ..records.problems import StreamBayesError
    from .output import occupy_standard_descriptors, silence_stdout

    occupy_standard_descriptors()
    try:
        if name == "run":
            from .run import main as command
        elif name == "compare":
            from .compare import main as command
        elif name == "models":
            from .models import main as command
        elif name == "merge":
            from .merge import main as command
        elif name == "edges":
            from .edges import main as command
        else:
            from .inspect import main as command
        return command(arguments)
    except StreamBayesError as e:
        print(e if e.status == 1 else f"streambayes: {e}", file=sys.stderr)
        return e.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        silence_stdout()
        return 0
