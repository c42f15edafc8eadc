// Which instruction set's kernels run.
#pragma once

namespace truegrade {

/// The widest instruction set this machine has: "avx512", "avx2" or "base".
const char* best_isa();

/// One of the three by name, "auto" being the best this machine has; throws std::invalid_argument for a set
/// that it lacks. Off x86-64 the latter two are null and never chosen.
const void* choose_isa(const char* isa, const void* base, const void* avx2, const void* avx512);

/// The same for tables of kernels.
template <class Kernels>
const Kernels& kernels_for(const char* isa, const Kernels* base, const Kernels* avx2, const Kernels* avx512) {
  return *static_cast<const Kernels*>(choose_isa(isa, base, avx2, avx512));
}

}  // namespace truegrade
