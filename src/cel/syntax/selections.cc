#include "cel/syntax/selections.h"

#include <algorithm>

namespace proa::cel {
namespace selections {

struct Search {
  std::string_view operand;
  std::string_view field;

  bool is_operand(const Expr& node) const {
    return operand.empty() || (node.is(ExprKind::kIdent) && node.name == operand);
  }

  bool is_selection(const Expr& node) const {
    if (node.is(ExprKind::kSelect)) return node.name == field && is_operand(*node.target);
    if (!node.calls(operators::kOptionalSelect) || node.args.size() != 2) return false;
    const Value& name = node.args[1]->literal;
    return is_operand(*node.args[0]) && name.is(ValueKind::kString) && name.text() == field;
  }

  // Trees are as deep as the parser lets them be.
  bool in(const Expr* node) const {
    if (node == nullptr) return false;
    if (is_selection(*node) || in(node->target)) return true;
    if (std::ranges::any_of(node->args, [&](const Expr* arg) { return in(arg); })) return true;
    for (const MapItem& entry : node->entries) {
      if (in(entry.key) || in(entry.value)) return true;
    }
    if (node->loop == nullptr) return false;
    const Comprehension& loop = *node->loop;
    return in(loop.range) || in(loop.initial) || in(loop.condition) || in(loop.step) ||
           in(loop.result);
  }
};

}  // namespace selections

bool selects(const Expr& root, std::string_view operand, std::string_view field) {
  return selections::Search{operand, field}.in(&root);
}

}  // namespace proa::cel
