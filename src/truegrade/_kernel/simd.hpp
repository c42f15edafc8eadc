// Vectors of kLanes doubles on the compiler's own vector types: + - * / and comparisons are the language's, a
// mask picks by ?:, and the width is the one native to the instruction set a file is compiled for.
//
// Included only by files that define TRUEGRADE_LANES. Everything below has internal linkage and nothing comes
// from the standard library's templates: a weak symbol shared with another file could be the copy that needs
// AVX-512.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef TRUEGRADE_LANES
#error "define TRUEGRADE_LANES as the number of doubles in a native vector"
#endif

#define TRUEGRADE_INLINE inline __attribute__((always_inline))

namespace truegrade {
namespace {

constexpr int kLanes = TRUEGRADE_LANES;

typedef double Vec __attribute__((vector_size(8 * kLanes)));
typedef std::int64_t Int __attribute__((vector_size(8 * kLanes)));

constexpr double kLn2 = 0.693147180559945309417;

TRUEGRADE_INLINE Vec broadcast(double x) { return Vec{} + x; }

TRUEGRADE_INLINE Vec load(const double* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

TRUEGRADE_INLINE void store(double* to, Vec v) { std::memcpy(to, &v, sizeof v); }

TRUEGRADE_INLINE Int bits(Vec v) { return (Int)v; }
TRUEGRADE_INLINE Vec from_bits(Int v) { return (Vec)v; }

TRUEGRADE_INLINE Vec min(Vec a, Vec b) { return a < b ? a : b; }
TRUEGRADE_INLINE Vec max(Vec a, Vec b) { return a > b ? a : b; }
TRUEGRADE_INLINE Vec abs(Vec a) { return from_bits(bits(a) & INT64_MAX); }

TRUEGRADE_INLINE bool any(Int mask) {
#if TRUEGRADE_LANES == 8 && defined(__AVX512DQ__)
  return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif TRUEGRADE_LANES == 4 && defined(__AVX__)
  return _mm256_movemask_pd((__m256d)mask) != 0;
#elif TRUEGRADE_LANES == 2 && defined(__SSE2__)
  return _mm_movemask_pd((__m128d)mask) != 0;
#else
  std::int64_t found = 0;
  for (int lane = 0; lane < kLanes; ++lane) found |= mask[lane];
  return found != 0;
#endif
}

TRUEGRADE_INLINE Vec sqrt(Vec v) {
  for (int lane = 0; lane < kLanes; ++lane) v[lane] = __builtin_sqrt(v[lane]);
  return v;
}

TRUEGRADE_INLINE double sum(Vec v) {
  double total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += v[lane];
  return total;
}

}  // namespace
}  // namespace truegrade
