#pragma once

#include "cel/cost/estimate.h"
#include "cel/types/shape.h"

namespace proa::cel {

// The sizes that the schema of the variables allows, for estimate_cost(): all variables have the
// same one. REQUIRES: the shape outlives the result.
SizeOf sizes_of_shape(const Shape& shape);

}  // namespace proa::cel
