#include "cel/evaluate/program.h"

#include <algorithm>

#include "cel/evaluate/evaluation.h"

namespace proa::cel {

Outcome Program::evaluate(std::span<const Value> variables, Arena& arena, uint64_t cost_limit,
                          Budget* budget) const {
  return Evaluation(*this, variables, arena, cost_limit, budget).run();
}

bool Program::uses(uint32_t variable) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return node.op == Op::kVariable && node.data == variable;
  });
}

size_t Program::memory() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(Node) +
         children_.capacity() * sizeof(uint32_t) + constants_.capacity() * sizeof(Value) +
         calls_.capacity() * sizeof(CallSite) + loops_.capacity() * sizeof(LoopSite) +
         patterns_.capacity() * sizeof(void*) + arena_.reserved();
}

}  // namespace proa::cel
