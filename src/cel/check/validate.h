#pragma once

#include "cel/syntax/ast.h"
#include "cel/syntax/issues.h"

namespace proa::cel {

// Which checks there are: they depend on the Kubernetes version.
struct LiteralChecks {
  bool arguments = true;      // durations, timestamps and patterns that can only fail
  bool exempt_format = true;  // the arguments of format() may have different types
};

// Finds literals that can only fail, and lists and maps of different types. REQUIRES: a checked
// tree without issues.
void validate_literals(const Expr* root, const LiteralChecks& checks, Issues& issues);

}  // namespace proa::cel
