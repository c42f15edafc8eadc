#define TRUEGRADE_LANES 8
#include "mixture_kernels_body.hpp"

const truegrade::MixtureKernels truegrade::kMixtureAvx512 = TRUEGRADE_MIXTURE_KERNELS;
