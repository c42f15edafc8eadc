#define TRUEGRADE_LANES 2
#include "table_kernels_body.hpp"

const truegrade::TableKernels truegrade::kTableBase = TRUEGRADE_TABLE_KERNELS;
