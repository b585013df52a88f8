#include "kinds/apiextensions/validation_rules.h"

#include <deque>

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "cel/expression/budget.h"
#include "kinds/apiextensions/schema_search.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace validation_rules {

// The version whose libraries rules may use. Upstream lets new rules use only what the version
// before knows, too: both know the same.
constexpr int kMinorVersion = 36;

constexpr std::string_view kRules = "x-kubernetes-validations";

bool has_line_breaks(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

const api::Type& rule_type() {
  static const api::Type& type = *api::builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule");
  return type;
}

void validate_message(View rule, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view expression = trim(rule["rule"].text());
  const std::string_view message = rule["message"].text();
  const api::Path message_path = path.field("message");
  if (expression.empty()) {
    errors.required(path.field("rule"), "rule is not specified");
  } else if (!message.empty() && trim(message).empty()) {
    errors.invalid(message_path, message, "must be non-empty if specified");
  } else if (has_line_breaks(trim(message))) {
    errors.invalid(message_path, message, "must not contain line breaks");
  } else if (has_line_breaks(expression) && message.empty()) {
    errors.required(message_path, "message must be specified if rule contains line breaks");
  }
  const std::string_view message_expression = rule["messageExpression"].text();
  if (!message_expression.empty() && trim(message_expression).empty()) {
    errors.required(path.field("messageExpression"),
                    "messageExpression must be non-empty if specified");
  }
}

// What is known of the type that rules of a schema see.
enum class Knowledge : uint8_t {
  kNotNeeded,     // there are no rules here or above
  kShape,         // the shape, if there is one already
  kNotConverted,  // this schema or one above has no type
  kNotDeclared,   // the schema above has another type than one of lists or maps
};

// Where a schema stands in that of the whole object.
struct Position {
  bool root = true;
  Knowledge knowledge = Knowledge::kNotNeeded;
  const cel::Shape* shape = nullptr;
  cel::Cardinality cardinality = 1;
  // The outermost list around whose items cannot be found in the old object. Null: there is none.
  const api::Path* uncorrelatable = nullptr;
};

class Expressions {
 public:
  Expressions(const SoundSchemas& sound, bool unchanged, api::FieldErrors& errors)
      : sound_(sound), unchanged_(unchanged), errors_(errors) {}

  void validate(View schema, Position position, const api::Path& path);
  void validate_total(const api::Path& path);

 private:
  // As the schema around says, or of its own: names that expressions cannot write have none there.
  const cel::Shape* shape_of(View schema, const Position& position);
  void validate_inner(View schema, const Position& position, const api::Path& path);
  void validate_rules(View schema, const Position& position, const api::Path& path);
  void validate_compiled(View rule, const cel::CompiledRule& compiled, const Position& position,
                         const api::Path& path);
  void validate_cost(uint64_t cost, std::string_view what, const api::Path& path);

  const SoundSchemas& sound_;
  bool unchanged_;
  api::FieldErrors& errors_;
  std::deque<cel::Shapes> shapes_;
  cel::TotalCost total_;
};

const cel::Shape* Expressions::shape_of(View schema, const Position& position) {
  if (position.shape != nullptr && position.shape->type != nullptr) return position.shape;
  const bool whole = position.root || schema["x-kubernetes-embedded-resource"].flag();
  return &shapes_.emplace_back(*schema.value(), whole).root();
}

void Expressions::validate(View schema, Position position, const api::Path& path) {
  if (position.knowledge == Knowledge::kNotNeeded && !schema[kRules].empty()) {
    position.knowledge = Knowledge::kShape;
  }
  if (position.knowledge == Knowledge::kShape) {
    position.shape = shape_of(schema, position);
    if (position.shape->type == nullptr) position.knowledge = Knowledge::kNotConverted;
  }
  validate_inner(schema, position, path);
  if (sound_.contains(schema.value())) validate_rules(schema, position, path);
}

// The position of the values of a list or map.
Position element_of(const Position& position, const Position& inner, cel::ShapeKind kind) {
  Position element = inner;
  if (position.knowledge != Knowledge::kShape) return element;
  element.shape = position.shape->kind == kind ? position.shape->element : nullptr;
  if (element.shape == nullptr) element.knowledge = Knowledge::kNotDeclared;
  return element;
}

void Expressions::validate_inner(View schema, const Position& position, const api::Path& path) {
  Position inner = position;
  inner.root = false;
  inner.shape = nullptr;
  inner.cardinality = cel::inner_cardinality(position.cardinality, *schema.value());
  if (schema["additionalProperties"].is(json::Kind::kObject)) {
    validate(schema["additionalProperties"], element_of(position, inner, cel::ShapeKind::kMap),
             path.field("additionalProperties"));
  }
  const api::Path* const around = inner.uncorrelatable;
  if (around == nullptr &&
      !contains({"granular", "atomic"}, schema["x-kubernetes-map-type"].text("granular"))) {
    inner.uncorrelatable = &path;
  }
  const api::Path properties = path.field("properties");
  for (const json::Member& member : schema["properties"].members()) {
    const cel::ShapeField* field =
        position.shape == nullptr ? nullptr : position.shape->field(member.key);
    inner.shape = field == nullptr || field->escaped.empty() ? nullptr : field->shape;
    validate(member.value, inner, properties.key(member.key));
  }
  inner.shape = nullptr;
  inner.uncorrelatable = around;
  if (!schema["items"].is(json::Kind::kObject)) return;
  if (inner.uncorrelatable == nullptr && schema["x-kubernetes-list-type"].text() != "map") {
    inner.uncorrelatable = &path;
  }
  validate(schema["items"], element_of(position, inner, cel::ShapeKind::kList),
           path.field("items"));
}

void Expressions::validate_rules(View schema, const Position& position, const api::Path& path) {
  const api::Path rules_path = path.field(kRules);
  if (position.knowledge == Knowledge::kNotDeclared) {
    return errors_.internal(rules_path, "failed to convert to declType for CEL validation rules");
  }
  if (position.knowledge == Knowledge::kNotConverted) {
    return errors_.internal(rules_path,
                            "internal error: failed to construct type information for "
                            "x-kubernetes-validations rules: unable to convert structural schema "
                            "to CEL declarations");
  }
  const cel::RuleCompiler compiler(*position.shape, kMinorVersion);
  each(schema[kRules], rules_path, [&](View rule, const api::Path& at) {
    const cel::CompiledRule compiled =
        compiler.compile({.rule = rule["rule"].text(),
                          .message_expression = rule["messageExpression"].text(),
                          .optional_old_self = rule["optionalOldSelf"].flag()});
    validate_compiled(rule, compiled, position, at);
  });
}

void Expressions::validate_compiled(View rule, const cel::CompiledRule& compiled,
                                    const Position& position, const api::Path& path) {
  const api::Path rule_path = path.field("rule");
  const api::Path message_path = path.field("messageExpression");
  validate_cost(cel::expression_cost(compiled, position.cardinality), "estimated rule cost",
                rule_path);
  if (!compiled.error.empty()) errors_.invalid(rule_path, rule, rule_type(), compiled.error);
  if (!compiled.message_error.empty()) {
    errors_.invalid(message_path, rule, rule_type(), compiled.message_error);
  } else if (compiled.message != nullptr) {
    validate_cost(compiled.message_max_cost, "estimated messageExpression cost", message_path);
  }
  const View optional = rule["optionalOldSelf"];
  if (compiled.uses_old_self && position.uncorrelatable != nullptr) {
    errors_.invalid(rule_path, rule["rule"].text(),
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
                        position.uncorrelatable->str());
  } else if (!compiled.uses_old_self && optional) {
    errors_.invalid(path.field("optionalOldSelf"), optional,
                    "may not be set if oldSelf is not used in rule");
  }
}

void Expressions::validate_cost(uint64_t cost, std::string_view what, const api::Path& path) {
  if (cost > cel::kExpressionEstimateLimit && !unchanged_) {
    errors_.forbidden(path, cel::cost_message(what, cost, cel::kExpressionEstimateLimit));
  }
  total_.add(path.str(), cost);
}

void Expressions::validate_total(const api::Path& path) {
  if (total_.total() <= cel::kDefinitionEstimateLimit) return;
  for (const cel::TotalCost::Expensive& expression : total_.most_expensive()) {
    errors_.forbidden(api::Path(expression.path),
                      "contributed to estimated rule cost total exceeding cost limit for entire "
                      "OpenAPIv3 schema");
  }
  errors_.forbidden(
      path, cel::cost_message(
                "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                total_.total(), cel::kDefinitionEstimateLimit));
}

}  // namespace validation_rules

void validate_rule(View rule, View schema, const api::Path& path, api::FieldErrors& errors) {
  validation_rules::validate_message(rule, path, errors);
  check_one_of(
      rule["reason"],
      {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"},
      path.field("reason"), errors);
  const std::string_view text = rule["fieldPath"].text();
  const api::Path text_path = path.field("fieldPath");
  if (text.empty()) return;
  if (trim(text).empty()) errors.invalid(text_path, text, "must be non-empty if specified");
  if (validation_rules::has_line_breaks(text)) {
    errors.invalid(text_path, text, "must not contain line breaks");
  }
  if (schema && !find_in_schema(schema, text, true).error.empty()) {
    errors.invalid(text_path, text, "must be a valid path");
  }
}

void validate_expressions(View schema, const SoundSchemas& sound, bool unchanged,
                          const api::Path& path, api::FieldErrors& errors) {
  validation_rules::Expressions expressions(sound, unchanged, errors);
  expressions.validate(schema, {}, path);
  expressions.validate_total(path);
}

}  // namespace proa::kinds::crd
