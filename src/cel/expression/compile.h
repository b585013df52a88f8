#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cel/cost/estimate.h"
#include "cel/evaluate/program.h"
#include "cel/functions/libraries.h"
#include "cel/types/environment.h"

namespace proa::cel {

// The environment of a Kubernetes version (1.minor) without variables.
Environment kubernetes_environment(int minor_version, Libraries libraries = Libraries::kBase);

inline std::optional<Range> no_sizes(std::span<const std::string_view>) { return std::nullopt; }

// What became of an expression.
struct Compiled {
  std::string issues;                      // why it is refused; empty: it is accepted
  std::string failure;                     // why it cannot be planned: a constant that fails
  std::string type;                        // of the result
  Range estimate;                          // of the cost; only if it was accepted
  std::shared_ptr<const Program> program;  // null unless it was accepted and planned
};

// Sees the tree of an expression that was accepted; it dies with the compilation.
using Inspect = std::function<void(const Expr& root)>;

// `size_of`: what is known of the sizes of variables.
Compiled compile(std::string_view source, const Environment& environment,
                 const SizeOf& size_of = no_sizes, const Inspect& inspect = {});

}  // namespace proa::cel
