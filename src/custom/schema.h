#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/structure/structure.h"
#include "cel/validation/schema_rules.h"
#include "custom/columns/scale.h"
#include "custom/decode/decode.h"
#include "custom/formats/patterns.h"

namespace proa::custom {

// The schema of a version of a CustomResourceDefinition, ready for objects. Immutable; shared by
// all threads. Owned by whoever serves the definition.
class Schema {
 public:
  // `schema`: a JSONSchemaProps; it need not outlive this. `patterns` are shared by all schemas and
  // outlive this. Fails if it is too large.
  static Result<Schema> make(const json::Value& schema, int minor_version, Patterns& patterns);

  const api::Structure& structure() const { return structures_.root(); }
  size_t memory() const;

  // What the API server does to a custom resource after parsing it; see decode/decode.h.
  Result<std::vector<std::string>> decode(json::Document& document, const DecodeOptions& options,
                                          Budget& budget) const {
    return custom::decode(document.arena(), document.root(), structures_.root(), options, budget);
  }

  struct Write {
    const json::Value* object = nullptr;  // decoded
    const json::Value* old = nullptr;     // null: a new object
    bool is_status = false;               // an update of the subresource status; has an old object
    const ScalePaths* scale = nullptr;    // null: no subresource scale
  };
  // Everything that the definition says about a valid object, in upstream's order: the schema, the
  // scale, embedded resources, lists, rules. What was wrong before and did not change is no error.
  // REQUIRES: errors of kind, apiVersion and metadata are in `errors` already, since some of them
  // keep rules from running. `warnings`: of rules. Fails only if the budget is exceeded.
  Result<void> validate(const Write& write, Budget& budget, api::FieldErrors& errors,
                        std::vector<std::string>& warnings) const;

 private:
  Schema(api::Structures structures, std::unique_ptr<const cel::SchemaRules> rules,
         Patterns& patterns)
      : structures_(std::move(structures)), rules_(std::move(rules)), patterns_(&patterns) {}

  void check_values(const Write& write, Budget& budget, api::FieldErrors& errors) const;
  void check_lists(const Write& write, api::FieldErrors& errors) const;

  api::Structures structures_;
  std::unique_ptr<const cel::SchemaRules> rules_;  // null: none; they are larger than the rest
  Patterns* patterns_;
};

}  // namespace proa::custom
