#include "cel/expression/rule.h"

#include "base/strings.h"
#include "cel/cost/shape_size.h"
#include "cel/expression/compile.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace rules {

constexpr uint32_t kOldSelf = 1;
// The version in which oldSelf came.
constexpr int kOldSelfSince = 24;

Environment environment(const Shape& shape, int minor_version, bool optional) {
  Environment made = kubernetes_environment(minor_version);
  made.add_variable("self", shape);
  if (minor_version >= kOldSelfSince) made.add_variable("oldSelf", shape, optional);
  return made;
}

// A message that a rule says if it fails.
void compile_message(std::string_view source, const Environment& environment, const SizeOf& sizes,
                     CompiledRule& rule) {
  Compiled compiled = compile(source, environment, sizes);
  if (!compiled.issues.empty()) {
    rule.message_error = "messageExpression compilation failed: " + compiled.issues;
  } else if (compiled.type != "string") {
    rule.message_error = "messageExpression must evaluate to a string";
  } else if (compiled.program == nullptr) {
    rule.message_error = "messageExpression instantiation failed: " + compiled.failure;
  } else {
    rule.message = std::move(compiled.program);
    rule.message_max_cost = compiled.estimate.max;
  }
}

}  // namespace rules

RuleCompiler::RuleCompiler(const Shape& shape, int minor_version)
    : shape_(shape),
      environment_(rules::environment(shape, minor_version, false)),
      optional_environment_(rules::environment(shape, minor_version, true)) {}

CompiledRule RuleCompiler::compile(const RuleSource& source) const {
  CompiledRule rule;
  if (trim(source.rule).empty()) return rule;
  if (shape_.type == nullptr) {
    rule.error = "failed to convert to declType for CEL validation rules";
    return rule;
  }
  const Environment& environment = source.optional_old_self ? optional_environment_ : environment_;
  const SizeOf sizes = sizes_of_shape(shape_);
  Compiled compiled = cel::compile(source.rule, environment, sizes);
  if (!compiled.issues.empty()) {
    rule.error = "compilation failed: " + compiled.issues;
  } else if (compiled.type != "bool") {
    rule.error = "cel expression must evaluate to a bool";
  } else if (compiled.program == nullptr) {
    rule.error = "program instantiation failed: " + compiled.failure;
  }
  if (!rule.error.empty()) return rule;
  rule.program = std::move(compiled.program);
  rule.uses_old_self = rule.program->uses(rules::kOldSelf);
  rule.max_cost = compiled.estimate.max;
  rule.max_cardinality = max_cardinality(shape_);
  if (!source.message_expression.empty()) {
    rules::compile_message(source.message_expression, environment, sizes, rule);
  }
  return rule;
}

Value optional_old_self(Arena& arena, const json::Value* old, const Shape& shape) {
  if (old == nullptr) return Value::none();
  const Value value = typed_value(arena, *old, shape);
  // Reading such a variable, upstream takes the plain document out of it, and an error, too.
  if (value.is_error()) {
    constexpr std::string_view kWrapped =
        "unsupported conversion to ref.Val: (*errors.errorString)";
    const std::string text = std::string(kWrapped) + std::string(value.text());
    return make_optional(arena, make_error(arena, text));
  }
  return make_optional(arena, value.is_typed() ? from_json(*old) : value);
}

}  // namespace proa::cel
