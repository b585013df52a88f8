#include "testkit/scheduler/oracle/oracle_node_selector.h"

#include <algorithm>

#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::testkit::oracle {
namespace oracle_node_selector {

using Names = std::set<std::string, std::less<>>;

NodeRequirement read_requirement(View requirement) {
  NodeRequirement read{.key = std::string(requirement["key"].text()),
                       .op = std::string(requirement["operator"].text())};
  for (const View value : requirement["values"].items()) read.values.emplace_back(value.text());
  return read;
}

bool valid_expression(const NodeRequirement& requirement) {
  const auto& values = requirement.values;
  if (!api::check_qualified_name(requirement.key).empty()) return false;
  for (const auto& value : values) {
    if (!api::check_label_value(value).empty()) return false;
  }
  if (requirement.op == "In" || requirement.op == "NotIn") return !values.empty();
  if (requirement.op == "Exists" || requirement.op == "DoesNotExist") return values.empty();
  if (requirement.op == "Gt" || requirement.op == "Lt")
    return values.size() == 1 && parse_int(values[0]).has_value();
  return false;
}

bool valid_field(const NodeRequirement& requirement) {
  return (requirement.op == "In" || requirement.op == "NotIn") && requirement.values.size() == 1;
}

bool has_value(const NodeRequirement& requirement, std::string_view value) {
  return std::find(requirement.values.begin(), requirement.values.end(), value) !=
         requirement.values.end();
}

bool expression_matches(const NodeRequirement& requirement, View labels) {
  const View label = labels[requirement.key];
  if (requirement.op == "Exists") return label.exists();
  if (requirement.op == "DoesNotExist") return !label.exists();
  if (requirement.op == "NotIn") return !label.exists() || !has_value(requirement, label.text());
  if (!label.exists()) return false;
  if (requirement.op == "In") return has_value(requirement, label.text());
  const auto number = parse_int(label.text());
  const auto bound = parse_int(requirement.values[0]);
  if (!number) return false;
  return requirement.op == "Gt" ? *number > *bound : *number < *bound;
}

bool field_matches(const NodeRequirement& requirement, std::string_view node_name) {
  // The name is the only field that there is; all others are empty.
  const std::string_view value =
      requirement.key == "metadata.name" ? node_name : std::string_view();
  return has_value(requirement, value) == (requirement.op == "In");
}

// The nodes that a term names; nothing when it names none.
std::optional<Names> named_nodes(const NodeTerm& term) {
  std::optional<Names> names;
  for (const auto& field : term.fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    Names these(field.values.begin(), field.values.end());
    if (names) {
      std::erase_if(these, [&](const std::string& name) { return !names->contains(name); });
    }
    names = std::move(these);
  }
  return names;
}

View required(const Pod& pod) {
  return pod.spec.at("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
}

// The nodes that all terms together name; nothing when some term names none.
std::optional<Names> named_nodes(View node_selector) {
  std::optional<Names> names;
  for (const View term : node_selector["nodeSelectorTerms"].items()) {
    const auto these = named_nodes(read_node_term(term));
    if (!these) return std::nullopt;
    if (!names) names.emplace();
    names->insert(these->begin(), these->end());
  }
  return names;
}

}  // namespace oracle_node_selector

bool NodeTerm::valid() const {
  return std::all_of(expressions.begin(), expressions.end(),
                     oracle_node_selector::valid_expression) &&
         std::all_of(fields.begin(), fields.end(), oracle_node_selector::valid_field);
}

bool NodeTerm::matches(View labels, std::string_view node_name) const {
  for (const auto& expression : expressions) {
    if (!oracle_node_selector::expression_matches(expression, labels)) return false;
  }
  if (node_name.empty()) return true;
  for (const auto& field : fields) {
    if (!oracle_node_selector::field_matches(field, node_name)) return false;
  }
  return true;
}

NodeTerm read_node_term(View term) {
  NodeTerm read;
  for (const View one : term["matchExpressions"].items())
    read.expressions.push_back(oracle_node_selector::read_requirement(one));
  for (const View one : term["matchFields"].items())
    read.fields.push_back(oracle_node_selector::read_requirement(one));
  return read;
}

std::vector<NodeTerm> read_node_terms(View node_selector) {
  std::vector<NodeTerm> terms;
  for (const View term : node_selector["nodeSelectorTerms"].items())
    terms.push_back(read_node_term(term));
  return terms;
}

bool any_matches(const std::vector<NodeTerm>& terms, View labels, std::string_view node_name) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeTerm& term) {
    return !term.empty() && term.valid() && term.matches(labels, node_name);
  });
}

RequiredNodeAffinity::RequiredNodeAffinity(const Pod& pod)
    : node_selector_(pod.spec["nodeSelector"]),
      has_terms_(oracle_node_selector::required(pod).exists()),
      terms_(read_node_terms(oracle_node_selector::required(pod))) {}

bool RequiredNodeAffinity::matches(const Node& node) const {
  for (const json::Member& wanted : node_selector_.members()) {
    const View label = node.labels[wanted.key];
    if (!label.exists() || label.text() != View(wanted.value).text()) return false;
  }
  return !has_terms_ || any_matches(terms_, node.labels, node.name);
}

Prepared prepare_node_affinity(const Question& question) {
  const Pod& pod = question.pod;
  const View required = oracle_node_selector::required(pod);
  if (!required.exists() && pod.spec["nodeSelector"].empty()) return {};
  Prepared prepared;
  prepared.only_nodes = oracle_node_selector::named_nodes(required);
  if (prepared.only_nodes && prepared.only_nodes->empty()) {
    prepared.rejection = Rejection{.reasons = {"pod affinity terms conflict"}};
    return prepared;
  }
  prepared.filter = [affinity =
                         RequiredNodeAffinity(pod)](const Node& node) -> std::optional<Rejection> {
    if (affinity.matches(node)) return std::nullopt;
    return Rejection{.reasons = {"node(s) didn't match Pod's node affinity/selector"}};
  };
  return prepared;
}

Scores score_node_affinity(const Question& question, const Nodes& nodes) {
  const View preferred =
      question.pod.spec.at("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution");
  Scores scores;
  scores.skipped = preferred.empty();
  scores.points.resize(nodes.size());
  for (const View one : preferred.items()) {
    const int64_t weight = one["weight"].integer();
    const NodeTerm term = read_node_term(one["preference"]);
    if (weight == 0 || term.empty()) continue;
    if (!term.valid()) {
      scores.error = "a preferred term is not valid";
      return scores;
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (term.matches(nodes[i]->labels, nodes[i]->name)) scores.points[i] += weight;
    }
  }
  normalize(scores.points, false);
  return scores;
}

}  // namespace proa::testkit::oracle
