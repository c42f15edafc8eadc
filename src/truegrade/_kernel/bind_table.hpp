// The functions of the module for models on tables.
#pragma once

#include <nanobind/nanobind.h>

namespace truegrade {

void bind_table(nanobind::module_& m);

}  // namespace truegrade
