#define TRUEGRADE_LANES 4
#include "table_kernels_body.hpp"

const truegrade::TableKernels truegrade::kTableAvx2 = TRUEGRADE_TABLE_KERNELS;
