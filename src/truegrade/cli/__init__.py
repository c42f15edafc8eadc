"""The command `truegrade`. One small file per command; each imports what it needs when it runs."""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["main"]

_BAD_INPUT, _BUG, _INTERRUPTED = 2, 1, 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command; exit code 0 done, 2 what the user can mend, 130 interrupted, 1 a bug."""
    from truegrade.cli._app import app
    from truegrade.errors import TruegradeError

    try:
        code = app(arguments, prog_name="truegrade", standalone_mode=False)
        sys.stdout.flush()
    except TruegradeError as error:
        return _fail(str(error))
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):  # not one of the parser's own complaints
            _report_bug()
            return _BUG
        context: Any = getattr(error, "ctx", None)
        command = context.command_path if context else "truegrade"
        return _fail(f"{error.format_message()} (see {command} --help)")
    if code == _INTERRUPTED:
        sys.stderr.write("truegrade: interrupted\n")
    return int(code or 0)


def _fail(message: str) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"truegrade: error: {line}\n")
    return _BAD_INPUT


def _report_bug() -> None:
    import traceback

    traceback.print_exc()
    sys.stderr.write("truegrade: this is a bug; please report it with the lines above\n")
