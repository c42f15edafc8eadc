"""The command `truegrade`. One small file per command; each imports what it needs when it runs."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any

__all__ = ["main"]

_DONE, _BAD_INPUT, _BUG, _INTERRUPTED = 0, 2, 1, 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    code = run(sys.argv[1:] if arguments is None else arguments)
    if code == _INTERRUPTED:  # one more Ctrl-C could only spoil the end
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; exit code 0 done, 2 what the user can mend, 130 interrupted, 1 a bug."""
    from truegrade.cli._app import app

    _open_closed_streams()
    try:
        code = app(arguments, prog_name="truegrade", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except SystemExit as leaving:
        if not isinstance(leaving.__context__, BrokenPipeError):  # the parser's answer to a broken pipe
            raise
        code = _without_output(_DONE)
    except Exception as error:
        code = _after(error)
    if code == _INTERRUPTED:
        _tell("truegrade: interrupted\n")
    return int(code or _DONE)


def _after(error: Exception) -> int:
    """Say what went wrong; the exit code that tells whose fault it was."""
    from truegrade.errors import TruegradeError

    match error:
        case TruegradeError():
            return _fail(str(error))
        case BrokenPipeError():  # the reader of our output has seen enough
            return _without_output(_DONE)
        case OSError():  # nothing but the output is written without a message of its own
            place = error.filename or "standard output"
            told = f"{place}: {error.strerror or error}; free some space, or choose another place"
            return _without_output(_fail(told))
    if not hasattr(error, "format_message"):  # not one of the parser's own complaints
        _report_bug()
        return _BUG
    message = str(error.format_message()).replace("Value error, ", "")
    if type(error).__name__ == "NoArgsIsHelpError":
        _tell(message + "\n")
        return _BAD_INPUT
    context: Any = getattr(error, "ctx", None)
    return _fail(f"{message} (see {context.command_path if context else 'truegrade'} --help)")


def _open_closed_streams() -> None:
    """Give a stream that the caller closed (``>&-``) somewhere to go."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _without_output(code: int) -> int:
    """The code, after what could not be written is thrown away: Python would try again at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return code


def _fail(message: str) -> int:
    line = " ".join(message.split())
    _tell(f"truegrade: error: {line}\n")
    return _BAD_INPUT


def _tell(text: str) -> None:
    with suppress(OSError):  # nobody can be told that nothing can be told
        sys.stderr.write(text)
        sys.stderr.flush()


def _report_bug() -> None:
    import traceback

    _tell(f"{traceback.format_exc()}truegrade: this is a bug; please report it with the lines above\n")
