#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cel/expression/compile.h"

namespace proa::cel {

// An expression of one of Kubernetes' objects or files, compiled when it is written. Immutable;
// shared by all threads.
struct CheckedExpression {
  std::string source;
  // Why it cannot be evaluated, in upstream's words; empty: it can.
  std::string error;
  bool internal_error = false;  // not the author's fault
  std::string type;
  uint64_t max_cost = UINT64_MAX;
  std::shared_ptr<const Program> program;
};

// What a use of expressions asks of them.
struct Expectation {
  // What is wrong with a result of this type, in the notation of print_type(); empty: nothing.
  std::function<std::string(std::string_view type)> mismatch;
  SizeOf size_of = no_sizes;
  Inspect inspect = {};
};

CheckedExpression compile_checked(std::string_view source, const Environment& environment,
                                  const Expectation& expectation);

// A type in the notation of print_type() as upstream's messages show it: "null" is null_type.
std::string type_in_messages(std::string_view type);

}  // namespace proa::cel
