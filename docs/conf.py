"""How `make docs` builds the site. Nothing is fetched when a page is read: no fonts, no scripts from elsewhere."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

project = "truegrade"
author = "The truegrade developers"
release = version = metadata.version("truegrade")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4

default_role = "code"  # docstrings name code in single or double backticks
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"truegrade {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
copybutton_prompt_text = r">>> |\.\.\. |\$ |> "
copybutton_prompt_is_regexp = True

_OPTION = re.compile(r"(\w+(?:, \w+)*): (?=\S)")
_TRAILING = re.compile(r"(?<![`\w])([a-z]\w*_)(?=[\s,.;:)]|$)")  # labels_ and its like would be links


def _readable(_app: Any, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Let "name, name: what they do" in a docstring become a list of options, and `labels_` code."""
    written: list[str] = []
    listing = False
    for line in lines:
        text = _TRAILING.sub(r"``\1``", line)
        if _OPTION.match(line):
            if not listing and written and written[-1]:
                written.append("")
            text, listing = _OPTION.sub(r":\1: ", text, count=1), True
        elif listing and line and not line.startswith(" "):
            text = "    " + text  # goes on with the option above
        elif not line:
            listing = False
        written.append(text)
    lines[:] = written


def setup(app: Any) -> None:
    """Sphinx calls this: the help of the commands, comments behind fields as their docs, lists of options."""
    from docutils import nodes
    from docutils.parsers.rst import Directive
    from sphinx.pycode import parser

    class Help(Directive):
        """What a command prints with --help."""

        required_arguments, final_argument_whitespace = 1, True

        def run(self) -> list[nodes.Node]:
            command = [str(Path(sys.executable).with_name("truegrade")), *self.arguments[0].split(), "--help"]
            environment = os.environ | {"COLUMNS": "90", "TERMINAL_WIDTH": "90"}
            printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
            return [nodes.literal_block(printed, printed, language="text")]

    app.add_directive("help", Help)
    app.connect("autodoc-process-docstring", _readable)
    parser.comment_re = re.compile(r"^\s*#:? ?(.*)\r?\n?$")  # fields are explained by the comment behind them
