"""How `make docs` builds the site. Nothing is fetched when a page is read: no fonts, no scripts from elsewhere."""

from importlib import metadata

project = "truegrade"
author = "The truegrade developers"
release = version = metadata.version("truegrade")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4

default_role = "code"  # docstrings name code in single or double backticks
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"truegrade {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
