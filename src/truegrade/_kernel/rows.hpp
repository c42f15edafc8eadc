// Tables of which four doubles of a row are used at a time: they are one memory access, and a transpose in
// registers makes columns of them.
#pragma once

#include "simd.hpp"

namespace truegrade {
namespace {

constexpr int kRow = 4;  // doubles, unless a table says otherwise

struct Columns {
  Vec c0, c1, c2, c3;
};

template <int kStride, class Number>
TRUEGRADE_INLINE Number* row_of(Number* table, std::int64_t index) {
  return table + kStride * index;
}

#if TRUEGRADE_LANES >= 4
typedef double Row __attribute__((vector_size(32)));

TRUEGRADE_INLINE Row load_row(const double* from) {
  Row row;
  std::memcpy(&row, from, sizeof row);
  return row;
}

TRUEGRADE_INLINE void add_to_row(double* to, Row row) {
  row += load_row(to);
  std::memcpy(to, &row, sizeof row);
}
#endif

#if TRUEGRADE_LANES == 8
#define TRUEGRADE_SHUFFLE __builtin_shufflevector

/// The first four doubles of rows index[0 .. kLanes-1] of the table, as columns.
template <int kStride = kRow, class Index>
TRUEGRADE_INLINE Columns gather_rows(const double* table, const Index* index) {
  Vec pair[4];  // rows i and i + 4 side by side
  for (int i = 0; i < 4; ++i)
    pair[i] = TRUEGRADE_SHUFFLE(load_row(row_of<kStride>(table, index[i])),
                                load_row(row_of<kStride>(table, index[i + 4])), 0, 1, 2, 3, 4, 5, 6, 7);
  const Vec even01 = TRUEGRADE_SHUFFLE(pair[0], pair[1], 0, 8, 2, 10, 4, 12, 6, 14);
  const Vec odd01 = TRUEGRADE_SHUFFLE(pair[0], pair[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Vec even23 = TRUEGRADE_SHUFFLE(pair[2], pair[3], 0, 8, 2, 10, 4, 12, 6, 14);
  const Vec odd23 = TRUEGRADE_SHUFFLE(pair[2], pair[3], 1, 9, 3, 11, 5, 13, 7, 15);
  return {TRUEGRADE_SHUFFLE(even01, even23, 0, 1, 8, 9, 4, 5, 12, 13),
          TRUEGRADE_SHUFFLE(odd01, odd23, 0, 1, 8, 9, 4, 5, 12, 13),
          TRUEGRADE_SHUFFLE(even01, even23, 2, 3, 10, 11, 6, 7, 14, 15),
          TRUEGRADE_SHUFFLE(odd01, odd23, 2, 3, 10, 11, 6, 7, 14, 15)};
}

/// Adds the columns to rows index[0 .. kLanes-1], one lane after the other: lanes may name the same row.
template <int kStride = kRow, class Index>
TRUEGRADE_INLINE void add_to_rows(double* table, const Index* index, const Columns& c) {
  const Vec even01 = TRUEGRADE_SHUFFLE(c.c0, c.c1, 0, 8, 2, 10, 4, 12, 6, 14);
  const Vec odd01 = TRUEGRADE_SHUFFLE(c.c0, c.c1, 1, 9, 3, 11, 5, 13, 7, 15);
  const Vec even23 = TRUEGRADE_SHUFFLE(c.c2, c.c3, 0, 8, 2, 10, 4, 12, 6, 14);
  const Vec odd23 = TRUEGRADE_SHUFFLE(c.c2, c.c3, 1, 9, 3, 11, 5, 13, 7, 15);
  const Vec pair[4] = {TRUEGRADE_SHUFFLE(even01, even23, 0, 1, 8, 9, 4, 5, 12, 13),
                       TRUEGRADE_SHUFFLE(odd01, odd23, 0, 1, 8, 9, 4, 5, 12, 13),
                       TRUEGRADE_SHUFFLE(even01, even23, 2, 3, 10, 11, 6, 7, 14, 15),
                       TRUEGRADE_SHUFFLE(odd01, odd23, 2, 3, 10, 11, 6, 7, 14, 15)};
  for (int i = 0; i < 4; ++i) {
    add_to_row(row_of<kStride>(table, index[i]), TRUEGRADE_SHUFFLE(pair[i], pair[i], 0, 1, 2, 3));
    add_to_row(row_of<kStride>(table, index[i + 4]), TRUEGRADE_SHUFFLE(pair[i], pair[i], 4, 5, 6, 7));
  }
}

#undef TRUEGRADE_SHUFFLE
#elif TRUEGRADE_LANES == 4
#define TRUEGRADE_SHUFFLE __builtin_shufflevector

TRUEGRADE_INLINE Columns transpose(Row r0, Row r1, Row r2, Row r3) {
  const Vec even01 = TRUEGRADE_SHUFFLE(r0, r1, 0, 4, 2, 6);
  const Vec odd01 = TRUEGRADE_SHUFFLE(r0, r1, 1, 5, 3, 7);
  const Vec even23 = TRUEGRADE_SHUFFLE(r2, r3, 0, 4, 2, 6);
  const Vec odd23 = TRUEGRADE_SHUFFLE(r2, r3, 1, 5, 3, 7);
  return {TRUEGRADE_SHUFFLE(even01, even23, 0, 1, 4, 5), TRUEGRADE_SHUFFLE(odd01, odd23, 0, 1, 4, 5),
          TRUEGRADE_SHUFFLE(even01, even23, 2, 3, 6, 7), TRUEGRADE_SHUFFLE(odd01, odd23, 2, 3, 6, 7)};
}

template <int kStride = kRow, class Index>
TRUEGRADE_INLINE Columns gather_rows(const double* table, const Index* index) {
  return transpose(load_row(row_of<kStride>(table, index[0])), load_row(row_of<kStride>(table, index[1])),
                   load_row(row_of<kStride>(table, index[2])), load_row(row_of<kStride>(table, index[3])));
}

template <int kStride = kRow, class Index>
TRUEGRADE_INLINE void add_to_rows(double* table, const Index* index, const Columns& c) {
  const Columns rows = transpose(c.c0, c.c1, c.c2, c.c3);
  add_to_row(row_of<kStride>(table, index[0]), rows.c0);
  add_to_row(row_of<kStride>(table, index[1]), rows.c1);
  add_to_row(row_of<kStride>(table, index[2]), rows.c2);
  add_to_row(row_of<kStride>(table, index[3]), rows.c3);
}

#undef TRUEGRADE_SHUFFLE
#else

template <int kStride = kRow, class Index>
TRUEGRADE_INLINE Columns gather_rows(const double* table, const Index* index) {
  Columns c;
  for (int lane = 0; lane < kLanes; ++lane) {
    const double* row = row_of<kStride>(table, index[lane]);
    c.c0[lane] = row[0], c.c1[lane] = row[1], c.c2[lane] = row[2], c.c3[lane] = row[3];
  }
  return c;
}

template <int kStride = kRow, class Index>
TRUEGRADE_INLINE void add_to_rows(double* table, const Index* index, const Columns& c) {
  for (int lane = 0; lane < kLanes; ++lane) {
    double* row = row_of<kStride>(table, index[lane]);
    row[0] += c.c0[lane], row[1] += c.c1[lane], row[2] += c.c2[lane], row[3] += c.c3[lane];
  }
}
#endif

}  // namespace
}  // namespace truegrade
