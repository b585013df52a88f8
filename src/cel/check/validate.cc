#include "cel/check/validate.h"

#include <re2/re2.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "cel/check/format_check.h"
#include "cel/functions/standard/regex.h"
#include "cel/values/time.h"

namespace proa::cel {
namespace validate {

bool is_duration(const Value& literal) {
  return literal.is(ValueKind::kString) && parse_duration(literal.text()).ok();
}

bool is_timestamp(const Value& literal) {
  if (literal.is(ValueKind::kInt)) {
    return literal.as_int() >= kMinSeconds && literal.as_int() <= kMaxSeconds;
  }
  if (!literal.is(ValueKind::kString)) return false;
  const std::optional<Value> time = parse_timestamp(literal.text());
  return time && !time->is_error();
}

bool is_pattern(const Value& literal) {
  return !literal.is(ValueKind::kString) || RE2(go_pattern(literal.text()), regex_options()).ok();
}

struct Rule {
  std::string_view function;
  bool (*valid)(const Value&);
};
constexpr Rule kRules[] = {
    {"duration", is_duration}, {"timestamp", is_timestamp}, {"matches", is_pattern}};

class Validator {
 public:
  Validator(const LiteralChecks& checks, Issues& issues) : checks_(checks), issues_(issues) {}

  void visit(const Expr* node) {
    if (node == nullptr) return;
    const bool exempt =
        checks_.exempt_format && node->is(ExprKind::kCall) && node->name == "format";
    exempt_ += exempt ? 1 : 0;
    visit_children(node);
    exempt_ -= exempt ? 1 : 0;
    if (node->is(ExprKind::kCall) && checks_.arguments) check_call(node);
    if (exempt) check_format_call(node, issues_);
    if (exempt_ > 0) return;
    if (node->is(ExprKind::kList)) check_list(node);
    if (node->is(ExprKind::kMap)) check_map(node);
  }

 private:
  void visit_children(const Expr* node) {
    visit(node->target);
    for (const Expr* arg : node->args) visit(arg);
    for (const MapItem& entry : node->entries) {
      visit(entry.key);
      visit(entry.value);
    }
    if (node->loop != nullptr) {
      for (const Expr* part : {node->loop->range, node->loop->initial, node->loop->condition,
                               node->loop->step, node->loop->result}) {
        visit(part);
      }
    }
  }

  void check_call(const Expr* node) {
    if (node->args.empty() || !node->args[0]->is(ExprKind::kLiteral)) return;
    for (const Rule& rule : kRules) {
      if (rule.function == node->name && !rule.valid(node->args[0]->literal)) {
        issues_.add(node->args[0]->position, "invalid " + std::string(rule.function) + " argument");
      }
    }
  }

  static const Type* element_type(const Expr* node, bool optional) {
    return optional && is_optional(*node->type) ? node->type->parameters[0] : node->type;
  }

  // Remembers the first type. False if another one differs.
  bool same(const Expr* node, const Type* type, const Type*& first) {
    if (first == nullptr) first = type;
    if (same_type(*first, *type)) return true;
    issues_.add(node->position,
                "expected type '" + print_type(*first) + "' but found '" + print_type(*type) + "'");
    return false;
  }

  void check_list(const Expr* node) {
    const Type* first = nullptr;
    for (size_t i = 0; i < node->args.size(); ++i) {
      const bool optional = !node->optional_args.empty() && node->optional_args[i];
      if (!same(node->args[i], element_type(node->args[i], optional), first)) return;
    }
  }

  void check_map(const Expr* node) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const MapItem& entry : node->entries) {
      same(entry.key, entry.key->type, key);
      same(entry.value, element_type(entry.value, entry.optional), value);
    }
  }

  const LiteralChecks& checks_;
  Issues& issues_;
  int exempt_ = 0;  // how many calls of format() are around
};

}  // namespace validate

void validate_literals(const Expr* root, const LiteralChecks& checks, Issues& issues) {
  validate::Validator(checks, issues).visit(root);
}

}  // namespace proa::cel
