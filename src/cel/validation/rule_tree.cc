#include "cel/validation/rule_tree.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/strings.h"
#include "cel/validation/field_path.h"

namespace proa::cel {
namespace rule_trees {

RuleReason reason_of(std::string_view text) {
  if (text == "FieldValueForbidden") return RuleReason::kForbidden;
  if (text == "FieldValueRequired") return RuleReason::kRequired;
  if (text == "FieldValueDuplicate") return RuleReason::kDuplicate;
  return RuleReason::kInvalid;
}

SchemaRule compile(const RuleCompiler& compiler, api::View source, const Shape& shape) {
  SchemaRule rule;
  rule.optional_old_self = source["optionalOldSelf"].flag();
  rule.compiled = compiler.compile({.rule = source["rule"].text(),
                                    .message_expression = source["messageExpression"].text(),
                                    .optional_old_self = rule.optional_old_self});
  rule.text = trim(source["rule"].text());
  rule.message = trim(source["message"].text());
  rule.message_expression = source["messageExpression"].text();
  rule.reason = reason_of(source["reason"].text());
  // Upstream stops compiling a rule where its message fails, and does not come to this any more.
  if (rule.compiled.error.empty() && rule.compiled.message_error.empty()) {
    rule.field_path = normalized_field_path(source["fieldPath"].text(), shape).value_or("");
  }
  return rule;
}

// `schema`: where the rules are, in allOf not the schema that the shape was made from.
std::unique_ptr<const RuleNode> compile(api::View schema, const Shape& shape, int minor_version) {
  auto node = std::make_unique<RuleNode>();
  node->shape = &shape;
  if (!schema["x-kubernetes-validations"].empty()) {
    const RuleCompiler compiler(shape, minor_version);
    for (const api::View source : schema["x-kubernetes-validations"].items()) {
      node->rules.push_back(compile(compiler, source, shape));
    }
  }
  const bool is_list = shape.kind == ShapeKind::kList;
  const api::View inner = schema[is_list ? "items" : "additionalProperties"];
  if (shape.element != nullptr && inner.is(json::Kind::kObject)) {
    node->element = compile(inner, *shape.element, minor_version);
  }
  for (const json::Member& property : schema["properties"].members()) {
    const ShapeField* field = shape.field(property.key);
    // Fields without a type are left out altogether.
    if (field == nullptr || field->shape->type == nullptr || shape.type == nullptr) continue;
    auto child = compile(property.value, *field->shape, minor_version);
    if (child != nullptr) node->properties.emplace(property.key, std::move(child));
  }
  for (const api::View part : schema["allOf"].items()) {
    auto child = compile(part, shape, minor_version);
    if (child != nullptr) node->all_of.push_back(std::move(child));
  }
  const bool empty = node->rules.empty() && node->element == nullptr && node->properties.empty() &&
                     node->all_of.empty();
  return empty ? nullptr : std::move(node);
}

// Upstream does not look into allOf here: rules that are only there are not checked.
bool has_rules(api::View schema) {
  if (!schema["x-kubernetes-validations"].empty()) return true;
  if (schema["items"].is(json::Kind::kObject) && has_rules(schema["items"])) return true;
  const api::View values = schema["additionalProperties"];
  if (values.is(json::Kind::kObject) && has_rules(values)) return true;
  const std::span<const json::Member> properties = schema["properties"].members();
  return std::any_of(properties.begin(), properties.end(),
                     [](const json::Member& property) { return has_rules(property.value); });
}

}  // namespace rule_trees

std::unique_ptr<const RuleNode> compile_rules(const json::Value& schema, const Shape& shape,
                                              int minor_version) {
  if (!rule_trees::has_rules(schema)) return nullptr;
  return rule_trees::compile(schema, shape, minor_version);
}

}  // namespace proa::cel
