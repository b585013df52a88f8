#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cel/expression/rule.h"

namespace proa::cel {

enum class RuleReason : uint8_t { kInvalid, kForbidden, kRequired, kDuplicate };

// A rule, and what is said if it fails.
struct SchemaRule {
  CompiledRule compiled;
  std::string text;     // the rule, without white space around it
  std::string message;  // the same; empty: none
  std::string message_expression;
  RuleReason reason = RuleReason::kInvalid;
  std::string field_path;  // normalized; empty: the value itself
  bool optional_old_self = false;

  // What messages call the rule.
  const std::string& name() const { return message.empty() ? text : message; }
};

// The rules of a schema and of the schemas in it.
struct RuleNode {
  const Shape* shape = nullptr;
  std::vector<SchemaRule> rules;
  std::unique_ptr<const RuleNode> element;  // of items or additional properties
  std::map<std::string, std::unique_ptr<const RuleNode>, std::less<>> properties;
  std::vector<std::unique_ptr<const RuleNode>> all_of;  // for the same value
};

// Compiles all rules of a schema. Null if there are none. REQUIRES: the shape is that of the
// schema, and outlives the tree.
std::unique_ptr<const RuleNode> compile_rules(const json::Value& schema, const Shape& shape,
                                              int minor_version);

}  // namespace proa::cel
