#define TRUEGRADE_LANES 4
#include "mixture_kernels_body.hpp"

const truegrade::MixtureKernels truegrade::kMixtureAvx2 = TRUEGRADE_MIXTURE_KERNELS;
