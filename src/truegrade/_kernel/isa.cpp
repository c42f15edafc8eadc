#include "isa.hpp"

#include <stdexcept>
#include <string>

namespace truegrade {

const char* best_isa() {
#if defined(TRUEGRADE_X86)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("fma"))
    return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
  return "base";
}

const void* choose_isa(const char* isa, const void* base, const void* avx2, const void* avx512) {
  const std::string best = best_isa(), wanted = std::string(isa) == "auto" ? best : isa;
  if (wanted == "base") return base;
  if (wanted == "avx2" && best != "base") return avx2;
  if (wanted == "avx512" && best == "avx512") return avx512;
  throw std::invalid_argument("no such instruction set here: " + wanted);
}

}  // namespace truegrade
