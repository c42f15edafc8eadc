#define TRUEGRADE_LANES 8
#include "table_kernels_body.hpp"

const truegrade::TableKernels truegrade::kTableAvx512 = TRUEGRADE_TABLE_KERNELS;
