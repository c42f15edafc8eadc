"""The oldest versions that pyproject.toml admits, as pip's constraints: python tools/oldest.py > constraints.txt."""

import re
import tomllib
from pathlib import Path


def main() -> None:
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    for requirement in [*project["project"]["dependencies"], *groups["build"], *groups["test"]]:
        name, oldest = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
        print(f"{name}=={oldest}")


if __name__ == "__main__":
    main()
