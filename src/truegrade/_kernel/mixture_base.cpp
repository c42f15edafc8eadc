#define TRUEGRADE_LANES 2
#include "mixture_kernels_body.hpp"

const truegrade::MixtureKernels truegrade::kMixtureBase = TRUEGRADE_MIXTURE_KERNELS;
