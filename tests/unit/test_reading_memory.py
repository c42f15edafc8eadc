"""Long exports are read in little memory. The files are some 100 MB, so these tests are slow."""

import subprocess
import sys

import pytest

MEGABYTE = 1 << 20
PADDING = "x" * 150
READ = """
import resource, sys
import truegrade as tg
print(tg.read(sys.argv[1]).n_ratings, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def judge(n):
    return f'{{"item": "item-{n // 4}", "judge": "m{n % 19}", "score": {n % 5}, "why": "{PADDING}"}}'


def prodigy(n):
    return (
        f'{{"text": "{PADDING}", "_input_hash": {n // 4}, "accept": [{n % 5}], "answer": "accept", '
        f'"_annotator_id": "set-{n % 199}"}}'
    )


def label_studio(n):
    result = f'{{"from_name": "q", "to_name": "t", "type": "rating", "value": {{"rating": {n % 5}}}}}'
    annotation = f'{{"completed_by": {n % 50}, "was_cancelled": false, "result": [{result}]}}'
    return f'{{"id": {n}, "data": {{"text": "{PADDING}"}}, "annotations": [{annotation}]}}'


def mixed(n):
    """Lines that Arrow does not understand, so that Python reads them."""
    return f'{{"item": "item-{n // 4}", "judge": "m{n % 19}", "score": {n % 5}, "why": {n if n % 2 else chr(34) * 2}}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("record", "between", "around"),
    [(judge, "\n", ""), (mixed, "\n", ""), (prodigy, "\n", ""), (label_studio, ",\n", "[]")],
    ids=["judges", "judges, by line", "prodigy", "label studio"],
)
def test_a_long_export_takes_a_fraction_of_its_size(record, between, around, tmp_path):
    path = tmp_path / "export"
    size = number = 0
    with path.open("w") as file:
        size += file.write(around[:1])
        while size < 250 * MEGABYTE:
            part = between.join(record(n) for n in range(number, number + 10_000))
            number += 10_000
            size += file.write((between if number > 10_000 else "") + part)
        file.write(around[1:])
    done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True)
    ratings, peak = map(int, done.stdout.split())
    assert ratings == number
    assert peak < 350  # MB, of which Python, NumPy and Arrow take 100
