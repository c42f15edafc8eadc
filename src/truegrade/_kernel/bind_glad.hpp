// GLAD's functions of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace truegrade {

void bind_glad(nanobind::module_& m);

}  // namespace truegrade
