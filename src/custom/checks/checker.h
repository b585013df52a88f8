#pragma once

#include "api/structure/structure.h"
#include "base/cost/budget.h"
#include "custom/checks/schema_errors.h"
#include "custom/decode/step.h"
#include "custom/formats/patterns.h"
#include "json/value.h"

namespace proa::custom {

// Checks values against a schema as kube-openapi's SchemaValidator does, with its messages, its
// order and its oddities. Stops when the budget is exceeded: what it found is not complete, then.
class Checker {
 public:
  // `errors`: null if only their number matters.
  Checker(Patterns& patterns, Budget& budget, SchemaErrors* errors)
      : patterns_(patterns), budget_(budget), errors_(errors) {}

  // Upstream checks the defaults of a schema by another conversion of it: without the types of
  // x-kubernetes-int-or-string, and with formats that do not belong to their type.
  void checks_default() { of_default_ = true; }

  // `old`: what the value was before; null: unknown. Errors of values that did not change do not
  // count then (ratcheting). Returns the number of errors.
  size_t check(const json::Value& value, const api::Structure& structure,
               const json::Value* old = nullptr);

 private:
  // `matches` tells which of several alternatives comes closest.
  struct Tally {
    size_t errors = 0;
    int64_t matches = 0;
    void add(const Tally& other) {
      errors += other.errors;
      matches += other.matches;
    }
  };
  struct Node {
    const json::Value& value;
    const api::Structure& structure;
    const Step& at;
    const json::Value* old = nullptr;
  };

  Tally check_node(const Node& node);
  Tally check_all(const Node& node);
  Tally check_null(const Node& node);
  Tally check_type(const Node& node);
  Tally check_combinations(const Node& node, const api::Combinations& combinations);
  Tally check_any_of(const Node& node, std::span<const api::Structure* const> schemas);
  Tally check_one_of(const Node& node, std::span<const api::Structure* const> schemas);
  Tally check_all_of(const Node& node, std::span<const api::Structure* const> schemas);
  // Without errors being kept.
  Tally try_one(const Node& node, const api::Structure& structure);
  Tally check_inner(const Node& node, const api::Structure& structure);
  void check_text(const Node& node, const api::Checks& checks, Tally& tally);
  void check_format(const Node& node, const api::Checks& checks, Tally& tally);
  void check_number(const Node& node, const api::Checks* checks, Tally& tally);
  void check_limits(const Node& node, const api::NumberChecks& checks, api::StructureKind kind,
                    api::Format format, Tally& tally);
  void check_items(const Node& node, Tally& tally);
  void check_choices(const Node& node, const api::Checks& checks, Tally& tally);
  void check_members(const Node& node, Tally& tally);
  void check_required(const Node& node, const api::Checks& checks, Tally& tally);

  // The name and meaning of a format, where it counts.
  std::string_view format_name(const api::Checks* checks) const;
  api::Format text_format_of(const api::Checks& checks) const;

  // `word`: makes the error, which costs more than finding it.
  template <typename Word>
  void fail(Tally& tally, const Word& word) {
    ++tally.errors;
    if (errors_ != nullptr && !errors_->full()) errors_->add(word());
  }

  Patterns& patterns_;
  Budget& budget_;
  SchemaErrors* errors_;
  bool of_default_ = false;
};

}  // namespace proa::custom
