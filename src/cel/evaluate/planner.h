#pragma once

#include <memory>

#include "base/result.h"
#include "cel/evaluate/program.h"
#include "cel/syntax/ast.h"
#include "cel/types/environment.h"

namespace proa::cel {

// Compiles a checked tree. Constant lists, maps and conversions are computed here: the failure of
// a conversion is the failure of the plan, in its words.
Result<std::shared_ptr<const Program>> plan(const Expr* root, const Environment& environment,
                                            std::shared_ptr<const Declarations> declarations);

}  // namespace proa::cel
