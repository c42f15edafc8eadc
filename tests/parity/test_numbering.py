"""The kernels that number texts and codes, against their twins."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegrade import _kernel
from truegrade.inference import numbering_twin as twin
from truegrade.texts import TextNumbers, number_codes, text_buffers


def numbered(module, parts, room, size):
    """Every call's answer, the numbers and what the store holds at the end."""
    slots = np.zeros(1 << room.bit_length(), dtype=np.uint64)
    store_offsets, store_data = np.zeros(room + 1, dtype=np.int64), np.zeros(size, dtype=np.uint8)
    known, answers = 0, []
    for part in parts:
        number = np.full(len(part), -7, dtype=np.int32)
        read, known = module.number_texts(
            *text_buffers(pa.array(part, pa.large_string())),
            known=known,
            slots=slots,
            store_offsets=store_offsets,
            store_data=store_data,
            number_out=number,
        )
        answers.append((read, known, number[:read].tolist()))
    return answers, store_offsets.tolist(), store_data.tobytes()


texts = st.lists(st.text("ab\0é", max_size=9), max_size=30)


@given(parts=st.lists(texts, max_size=3), room=st.integers(0, 40), size=st.integers(0, 150))
def test_number_texts(parts, room, size):
    assert numbered(_kernel, parts, room, size) == numbered(twin, parts, room, size)


@given(
    code=st.lists(st.integers(-1, 6), max_size=30),
    kept=st.none() | st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_number_codes(code, kept):
    code = np.array(code, dtype=np.int32)
    kept = None if kept is None else np.array(kept[: code.size], dtype=bool)
    answers = []
    for module in (_kernel, twin):
        number = np.empty(code.size if kept is None else kept.sum(), dtype=np.int32)
        code_of = np.empty(7, dtype=np.int32)
        used = module.number_codes(code, kept, number_out=number, code_out=code_of)
        answers.append((number.tolist(), code_of[:used].tolist()))
    assert answers[0] == answers[1]


def test_a_code_past_the_last_one_is_refused():
    with pytest.raises(IndexError, match="past the last"):
        number_codes(np.array([0, 2], dtype=np.int32), 2)


def test_texts_past_the_first_room_are_numbered_too():
    words = [f"{n}" * (n % 7) + f"-{n}" for n in range(20_000)] + ["x" * 200_000]
    numbers = TextNumbers()
    for part in (words[:9_000], words[::-1], words):
        found = numbers.of(pa.array(part))
    assert numbers.labels().to_pylist() == [*words[:9_000], *words[:8_999:-1]]
    assert [numbers.labels()[int(n)].as_py() for n in found[::97]] == words[::97]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), "string")])
def test_every_kind_of_text_is_numbered(kind):
    part = pa.array(["skipped", "b", None, "", "b", "a"]).cast(kind)[1:]
    numbers = TextNumbers()
    assert numbers.of(part).tolist() == [0, -1, 1, 0, 2]
    assert numbers.labels().to_pylist() == ["b", "", "a"]


def test_a_dictionary_may_hold_a_text_twice_or_never_use_it():
    part = pa.DictionaryArray.from_arrays(pa.array([3, 0, 2, None]), pa.array(["a", "never", None, "a"]))
    numbers = TextNumbers()
    assert numbers.of(part).tolist() == [0, 0, -1, -1]
    assert numbers.labels().to_pylist() == ["a"]


def test_texts_that_look_alike_in_the_table_keep_numbers_of_their_own():
    words = pa.array([str(n) for n in range(400_000)], pa.large_string())
    hashes = np.empty(len(words), dtype=np.uint64)
    _kernel.hash_texts(*text_buffers(words), threads=1, hash_out=hashes)
    slot = hashes & np.uint64(0xFFFFFFFF00000003)  # what a table of four slots sees of them
    order = np.argsort(slot)
    (pairs,) = np.nonzero(slot[order][1:] == slot[order][:-1])
    assert pairs.size > 0
    for at in pairs:
        alike = [words[int(order[at + k])].as_py() for k in (0, 1, 0)]
        assert numbered(_kernel, [alike], room=3, size=20)[0] == [(3, 2, [0, 1, 0])]
