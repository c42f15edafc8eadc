// The mixture model's functions of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace truegrade {

void bind_mixture(nanobind::module_& m);

}  // namespace truegrade
