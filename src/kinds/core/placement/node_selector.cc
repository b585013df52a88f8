#include "kinds/core/placement/node_selector.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kinds::pods {
namespace node_selector {

using api::View;
using Operator = api::LabelSelector::Operator;

std::optional<Operator> operator_of(std::string_view text) {
  if (text == "In") return Operator::kIn;
  if (text == "NotIn") return Operator::kNotIn;
  if (text == "Exists") return Operator::kExists;
  if (text == "DoesNotExist") return Operator::kDoesNotExist;
  if (text == "Gt") return Operator::kGreaterThan;
  if (text == "Lt") return Operator::kLessThan;
  return std::nullopt;
}

std::optional<api::LabelSelector::Requirement> requirement_of(View from) {
  api::LabelSelector::Requirement requirement;
  requirement.key = from["key"].text();
  const std::optional<Operator> op = operator_of(from["operator"].text());
  if (!op) return std::nullopt;
  requirement.op = *op;
  for (const View value : from["values"].items()) requirement.values.emplace_back(value.text());
  std::sort(requirement.values.begin(), requirement.values.end());
  if (*op == Operator::kGreaterThan || *op == Operator::kLessThan) {
    if (requirement.values.size() != 1) return std::nullopt;
    const std::optional<int64_t> number = parse_int(requirement.values[0]);
    if (!number) return std::nullopt;
    requirement.number = *number;
  }
  return requirement;
}

}  // namespace node_selector

NodeSelectorTerm::NodeSelectorTerm(api::View term) : selects_(read(term)) {}

bool NodeSelectorTerm::read(api::View term) {
  for (const api::View one : term["matchExpressions"].items()) {
    auto requirement = node_selector::requirement_of(one);
    if (!requirement) return false;
    labels_.push_back(std::move(*requirement));
  }
  for (const api::View one : term["matchFields"].items()) {
    const std::string_view op = one["operator"].text();
    const bool readable = one["key"].text() == "metadata.name" && one["values"].size() == 1 &&
                          (op == "In" || op == "NotIn");
    if (!readable) return false;
    names_.push_back({std::string(one["values"].item(0).text()), op == "In"});
  }
  return !labels_.empty() || !names_.empty();
}

bool NodeSelectorTerm::matches(const api::Metadata& node) const {
  if (!selects_) return false;
  return std::all_of(
             names_.begin(), names_.end(),
             [&](const NameRequirement& one) { return (one.name == node.name) == one.wanted; }) &&
         std::all_of(labels_.begin(), labels_.end(),
                     [&](const auto& one) { return one.matches(node.label(one.key)); });
}

std::optional<std::string> NodeSelectorTerm::only_name() const {
  for (const NameRequirement& one : names_) {
    if (one.wanted) return one.name;
  }
  return std::nullopt;
}

NodeSelector::NodeSelector(api::View selector) {
  for (const api::View one : selector["nodeSelectorTerms"].items()) terms_.emplace_back(one);
}

bool NodeSelector::matches(const api::Metadata& node) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const NodeSelectorTerm& term) { return term.matches(node); });
}

}  // namespace proa::kinds::pods
