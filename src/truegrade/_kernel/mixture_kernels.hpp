// What each instruction set's translation unit offers, and the tables that it is handed.
#pragma once

#include "mixture_sweep.hpp"

namespace truegrade {

// Row of an annotator: sqrt(E tau), the log odds' constant, and the spam branch's weight.
// odds = exp(log odds): the spam branch counts 1, so that omega = odds / (1 + odds); for eps = 1 it counts 0.
// In a chunk's own table the sums stand behind it, so that both are one cache line.
enum AnnotatorColumn { kRootTau, kAnnotatorLogOdds, kSpamBranch, kSums = 4, kAnnotatorRow = 8 };
// Row of a grade.
enum GradeColumn { kLower, kUpper, kLogSpam, kValue };
// Row of a category: E delta, its root, its part of the log odds, and its part of the bound per unit of sum w
// omega.
enum CategoryColumn { kEase, kRootEase, kEaseLogOdds, kEaseBound };
// An annotator's sums: as in MixtureSums, and the sum of w.
enum SumColumn { kSumOmega, kSumSpread, kSumOmegaSpam, kSumWeight };

/// One piece of a pass: consecutive windows, with the memory that belongs to this piece alone.
struct MixtureChunk {
  const MixtureInput* input;
  const MixtureState* state;
  double* responsibility;    // (L,) or null
  const double* grade_rows;  // (K, 4)
  double none_row[4];        // the category row when the difficulty is none
  bool prefetch;             // annotators' rows do not fit the cache

  std::int64_t first_window, last_window;
  std::int64_t first_category;  // of the first window
  double* annotators;           // (N, kAnnotatorRow), sums of zero on entry
  double* spam_weight;          // (K, kMaxLanes), zeros on entry
  double* slots;                // (5, kMaxLanes) per rating of the longest instance
  // Only when the difficulty is by category; sized for the largest window.
  double* spread;             // (ratings,): w omega E(x-z)^2
  std::int32_t* category_of;  // (instances,)
  double* category_rows;      // (categories, 4)
  double* category_sums;      // (categories, 2): sum w omega, sum tau w omega E(x-z)^2
  double totals[3];           // out, as MixtureSums::totals
};

constexpr int kMaxLanes = 8;
constexpr int kSlotVectors = 5;

struct MixtureKernels {
  void (*sweep)(MixtureChunk& chunk);
  void (*truncated_normal_moments)(const double* lower, const double* upper, const double* mean,
                                   const double* precision, std::int64_t size, double* log_mass_out,
                                   double* mean_out, double* spread_out);
  void (*gamma_functions)(const double* shape, std::int64_t size, double* digamma_out, double* log_gamma_out);
};

extern const MixtureKernels kMixtureBase;
#if defined(TRUEGRADE_X86)
extern const MixtureKernels kMixtureAvx2, kMixtureAvx512;
#endif

}  // namespace truegrade
