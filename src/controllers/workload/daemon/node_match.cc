#include "controllers/workload/daemon/node_match.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace proa::controllers {
namespace node_match {

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

}  // namespace node_match

NodeMatch::NodeMatch(api::View pod_spec)
    : node_name_(pod_spec["nodeName"].text()),
      node_selector_(api::LabelSelector::from_map(pod_spec["nodeSelector"])),
      tolerations_(read_tolerations(pod_spec)) {
  const api::View affinity =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  has_affinity_ = affinity.exists();
  for (const api::View one : affinity["nodeSelectorTerms"].items()) {
    Term term;
    if (read_term(one, term)) terms_.push_back(std::move(term));
  }
}

// False for one that selects nothing: it is empty, or can't be understood.
bool NodeMatch::read_term(api::View from, Term& term) {
  for (const api::View one : from["matchExpressions"].items()) {
    auto requirement = node_match::requirement_of(one);
    if (!requirement) return false;
    term.labels.push_back(std::move(*requirement));
  }
  for (const api::View one : from["matchFields"].items()) {
    const std::string_view op = one["operator"].text();
    const bool readable = one["key"].text() == "metadata.name" && one["values"].size() == 1 &&
                          (op == "In" || op == "NotIn");
    if (!readable) return false;
    term.names.push_back({std::string(one["values"].item(0).text()), op == "In"});
  }
  return !term.labels.empty() || !term.names.empty();
}

bool NodeMatch::attracts(const api::Object& node) const {
  const api::Metadata& metadata = node.metadata();
  if (!node_name_.empty() && node_name_ != metadata.name) return false;
  if (!node_selector_.matches(metadata.labels)) return false;
  if (!has_affinity_) return true;
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return std::all_of(term.labels.begin(), term.labels.end(),
                       [&](const auto& one) { return one.matches(metadata.label(one.key)); }) &&
           std::all_of(term.names.begin(), term.names.end(), [&](const NameRequirement& one) {
             return (one.name == metadata.name) == one.wanted;
           });
  });
}

bool NodeMatch::bears(const Taint& taint) const {
  return std::any_of(tolerations_.begin(), tolerations_.end(),
                     [&](const Toleration& one) { return tolerates(one, taint); });
}

NodeMatch::Verdict NodeMatch::judge(const api::Object& node) const {
  if (!attracts(node)) return {};
  Verdict verdict{.may_start = true, .may_stay = true};
  for (const Taint& taint : taints_of(node)) {
    const bool evicts = taint.effect == kNoExecute;
    if ((!evicts && taint.effect != kNoSchedule) || bears(taint)) continue;
    verdict.may_start = false;
    if (evicts) verdict.may_stay = false;
  }
  return verdict;
}

}  // namespace proa::controllers
