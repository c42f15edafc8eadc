"""What a file compiled for AVX may share with the others: its table of kernels, and nothing else.

The linker keeps one copy of a function that several files define, such as std::max. Were it the one that needs AVX-512,
older processors would stop at it.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

OBJECTS = sorted((Path(__file__).parents[2] / "build").rglob("*_avx*.cpp.o"))


@pytest.mark.skipif(not OBJECTS or not shutil.which("nm"), reason="no object files of a build here, or no nm")
@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_a_vector_file_shares_only_its_table(path):
    listed = subprocess.run(["nm", "--demangle", path], capture_output=True, text=True, check=True).stdout
    symbols = [line[17:].split(maxsplit=1) for line in listed.splitlines()]
    shared = [name for kind, name in symbols if kind.isupper() or kind in "uvw"]
    own = [name for name in shared if name.startswith("truegrade::k")]
    assert len(own) == 1
    assert [name for name in shared if name not in own and name not in ("memcpy", "memset")] == []
    # Nor may it run anything when the library is loaded.
    assert [name for _, name in symbols if "_GLOBAL__sub_I" in name or "global constructors" in name] == []
