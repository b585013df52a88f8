#include "custom/validation/schema_defaults.h"

#include <optional>
#include <vector>

#include "base/strings.h"
#include "cel/validation/schema_rules.h"
#include "custom/checks/checker.h"
#include "custom/checks/numbers.h"
#include "custom/decode/metadata.h"
#include "custom/decode/prune.h"
#include "custom/decode/show.h"
#include "custom/validation/embedded.h"

namespace proa::custom {
namespace schema_defaults {

// A step from an embedded resource to a schema in it; an empty name is an item.
using Steps = std::vector<std::string_view>;

// "a.b" below "x": "x.a.b".
std::string below(std::string_view path, std::string_view field) {
  if (field == "<nil>") return std::string(path);
  return std::string(path) + (field.starts_with('[') ? "" : ".") + std::string(field);
}

class Defaults {
 public:
  Defaults(const DefaultsCheck& check, Patterns& patterns, Budget& budget, api::FieldErrors& errors)
      : check_(check), patterns_(patterns), budget_(budget), errors_(errors) {}

  struct Place {
    const json::Value& schema;
    const api::Structure& structure;
    const api::Path& path;
    const api::Structure& resource;  // the nearest embedded resource, or the object itself
    bool is_resource = false;        // this one
    bool in_metadata = false;
  };

  // Additional properties have no defaults.
  void visit(const Place& place, Steps& steps) {
    if (!place.structure.has_defaults || stopped_ || budget_.exceeded()) return;
    if (place.structure.default_value != nullptr) validate(place, steps);
    if (place.structure.items != nullptr) {
      const api::Path path = place.path.field("items");
      steps.emplace_back();
      visit_part(place, *place.schema.find("items"), *place.structure.items, path,
                 place.in_metadata, steps);
      steps.pop_back();
    }
    const api::Path properties = place.path.field("properties");
    for (const api::Property& property : place.structure.properties) {
      const bool is_meta =
          property.name == "metadata" || property.name == "apiVersion" || property.name == "kind";
      const api::Path path = properties.key(property.name);
      steps.push_back(property.name);
      visit_part(place, *place.schema.find("properties")->find(property.name), *property.structure,
                 path, place.in_metadata || (place.is_resource && is_meta), steps);
      steps.pop_back();
    }
  }

 private:
  void visit_part(const Place& from, const json::Value& schema, const api::Structure& structure,
                  const api::Path& path, bool in_metadata, Steps& steps) {
    if (!structure.embedded_resource) {
      return visit({schema, structure, path, from.resource, false, in_metadata}, steps);
    }
    Steps own;
    visit({schema, structure, path, structure, true, false}, own);
  }

  void validate(const Place& place, const Steps& steps) {
    const api::Path path = place.path.field("default");
    json::Document copy;
    copy.root() = place.structure.default_value->copy(copy.arena());
    const bool valid = place.in_metadata ? has_valid_metadata(place, steps, path)
                                         : is_valid_value(place, copy, path);
    if (!valid) return;
    SchemaErrors found;
    Checker checker(patterns_, budget_, &found);
    checker.checks_default();
    if (checker.check(copy.root(), place.structure) > 0) return found.report(path, errors_);
    check_rules(place, copy.root(), path);
  }

  // Whether the other checks follow.
  bool is_valid_value(const Place& place, json::Document& value, const api::Path& path) {
    bool has_unknown = false;
    if (check_.requires_pruned) {
      json::Document pruned;
      pruned.root() = value.root().copy(pruned.arena());
      prune(pruned.arena(), pruned.root(), place.structure, place.is_resource);
      has_unknown = !deep_equal(pruned.root(), value.root());
    }
    const Result<void> canonical =
        canonicalize_embedded(value.arena(), value.root(), place.structure, place.is_resource,
                              {.root = path.str()}, budget_);
    // Upstream shows the value as it is when all is done.
    if (has_unknown) invalid(path, value.root(), "must not have unknown fields");
    if (!canonical.ok()) {
      report(canonical.status().message());
      return false;
    }
    const size_t before = errors_.size();
    validate_embedded(value.root(), place.structure, place.is_resource, path, budget_, errors_);
    return errors_.size() == before;
  }

  // The default is part of apiVersion, kind or metadata: the resource around it is checked.
  bool has_valid_metadata(const Place& place, const Steps& steps, const api::Path& path) {
    json::Document around;
    around.root() = place.structure.default_value->copy(around.arena());
    for (size_t i = steps.size(); i > 0; --i) {
      json::Value outer = steps[i - 1].empty() ? json::Value::array() : json::Value::object();
      if (steps[i - 1].empty()) {
        outer.push_back(around.arena(), std::move(around.root()));
      } else {
        outer.set(around.arena(), steps[i - 1], std::move(around.root()));
      }
      around.root() = std::move(outer);
    }
    json::Value& object = around.root();
    if (!object.is(json::Kind::kObject)) return true;
    const auto add = [&](std::string_view name, std::string_view text) {
      if (object.find(name) == nullptr) {
        object.set(around.arena(), name, json::Value::borrowed(text));
      }
    };
    add("kind", "Validation");
    add("apiVersion", "validation/v1");
    const Result<void> canonical = canonicalize_embedded(around.arena(), object, place.resource,
                                                         true, MetadataOptions(), budget_);
    std::string why = canonical.ok() ? std::string() : canonical.status().message();
    if (canonical.ok()) {
      api::FieldErrors inner;
      const api::Path root;
      validate_embedded(object, place.resource, true, root, budget_, inner);
      const std::vector<std::string> texts = inner.texts();
      why = texts.size() > 1 ? "[" + join(texts, ", ") + "]" : join(texts, ", ");
    }
    if (why.empty()) return true;
    invalid(path, *place.structure.default_value, "must result in valid metadata: " + why);
    return false;
  }

  // As an update that changes nothing, and as a new value.
  void check_rules(const Place& place, const json::Value& value, const api::Path& path) {
    const cel::SchemaRules rules(place.schema, check_.minor_version, place.is_resource);
    if (rules.empty()) return;
    std::optional<uint64_t> least = cost_left_;
    for (const json::Value* old : {&value, static_cast<const json::Value*>(nullptr)}) {
      api::FieldErrors found;
      std::vector<std::string> warnings;
      const std::optional<uint64_t> left = rules.validate({.object = &value,
                                                           .old = old,
                                                           .ratcheting = false,
                                                           .budget = cost_left_,
                                                           .work = &budget_},
                                                          found, warnings);
      for (const StatusCause& cause : found.causes()) {
        const std::string field = below(path.str(), cause.field);
        const api::Path inner{std::string_view(field)};
        errors_.worded(inner, cause.reason, cause.message);
      }
      if (!left || !least) {
        least = std::nullopt;
      } else {
        least = std::min(*least, *left);
      }
      if (!found.empty()) break;
    }
    stopped_ = !least;
    cost_left_ = least.value_or(0);
  }

  void invalid(const api::Path& path, const json::Value& value, std::string_view detail) {
    errors_.worded(path, "FieldValueInvalid",
                   "Invalid value: " + shown(value) + ": " + std::string(detail));
  }

  // "x.y: Invalid value: ..." as an error of x.y.
  void report(const std::string& text) {
    const size_t end = text.find(": ");
    const api::Path path(std::string_view(text).substr(0, end));
    errors_.worded(path, "FieldValueInvalid", text.substr(std::min(end, text.size() - 2) + 2));
  }

  const DefaultsCheck& check_;
  Patterns& patterns_;
  Budget& budget_;
  api::FieldErrors& errors_;
  uint64_t cost_left_ = cel::kObjectCostBudget;
  bool stopped_ = false;  // rules cost too much
};

}  // namespace schema_defaults

Result<void> validate_defaults(const DefaultsCheck& check, const api::Path& path,
                               Patterns& patterns, Budget& budget, api::FieldErrors& errors) {
  const api::Structures structures = TRY(api::Structures::parse(*check.schema));
  schema_defaults::Steps steps;
  schema_defaults::Defaults(check, patterns, budget, errors)
      .visit({*check.schema, structures.root(), path, structures.root(), true, false}, steps);
  return budget.check();
}

}  // namespace proa::custom
