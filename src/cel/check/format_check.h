#pragma once

#include "cel/syntax/ast.h"
#include "cel/syntax/issues.h"

namespace proa::cel {

// Checks the arguments of "...".format([...]) where both are literals. Other calls are not looked
// at. REQUIRES: a checked call.
void check_format_call(const Expr* call, Issues& issues);

}  // namespace proa::cel
