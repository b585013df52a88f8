#include "testkit/scheduler/oracle/oracle_affinity.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"

namespace proa::testkit::oracle {
namespace oracle_affinity {

struct Term {
  std::set<std::string, std::less<>> namespaces = {};
  api::LabelSelector namespace_selector = {};
  api::LabelSelector selector = {};
  std::string_view key = {};
  int64_t weight = 0;
};

struct Terms {
  std::vector<Term> required = {};
  std::vector<Term> required_anti = {};
  std::vector<Term> preferred = {};
  std::vector<Term> preferred_anti = {};
  std::vector<std::string> problems = {};
};

bool matches(const Term& term, const Pod& pod, View namespace_labels) {
  return (term.namespaces.contains(pod.name_space) ||
          term.namespace_selector.matches(namespace_labels)) &&
         term.selector.matches(pod.labels);
}

Result<Term> read_term(const Pod& pod, View term) {
  Term read{.key = term["topologyKey"].text()};
  read.selector = TRY(api::LabelSelector::from(term["labelSelector"]));
  read.namespace_selector = TRY(api::LabelSelector::from(term["namespaceSelector"]));
  for (const View name : term["namespaces"].items()) read.namespaces.emplace(name.text());
  if (read.namespaces.empty() && !term["namespaceSelector"].exists())
    read.namespaces.emplace(pod.name_space);
  return read;
}

// All terms of a list; fails if one of them is invalid.
Result<std::vector<Term>> read_list(const Pod& pod, View list, bool weighted) {
  std::vector<Term> terms;
  for (const View one : list.items()) {
    terms.push_back(TRY(read_term(pod, weighted ? one["podAffinityTerm"] : one)));
    terms.back().weight = one["weight"].integer();
  }
  return terms;
}

Terms read_terms(const Pod& pod) {
  Terms terms;
  const View affinity = pod.spec["affinity"];
  const auto read = [&](const char* kind, const char* name, bool required,
                        std::vector<Term>& into) {
    const View list = affinity[kind][required ? "requiredDuringSchedulingIgnoredDuringExecution"
                                              : "preferredDuringSchedulingIgnoredDuringExecution"];
    auto these = read_list(pod, list, !required);
    if (these.ok()) {
      into = std::move(these).value();
    } else {
      terms.problems.push_back(std::string(name) + ": " + these.status().message());
    }
  };
  read("podAffinity", "requiredAffinityTerms", true, terms.required);
  read("podAntiAffinity", "requiredAntiAffinityTerms", true, terms.required_anti);
  read("podAffinity", "preferredAffinityTerms", false, terms.preferred);
  read("podAntiAffinity", "preferredAntiAffinityTerms", false, terms.preferred_anti);
  return terms;
}

// The terms of the pod that asks name the namespaces that their selectors select. The selectors
// stay and are matched with no labels afterwards, so one that selects by absence selects every
// namespace: upstream means to take them away, but does so in a copy
// (mergeAffinityTermNamespacesIfNotEmpty).
void resolve_namespaces(const World& world, std::vector<Term>& terms) {
  for (Term& term : terms) {
    if (term.namespace_selector.matches_everything()) continue;
    for (const auto& [name, name_space] : world.namespaces) {
      if (term.namespace_selector.matches(name_space["metadata"]["labels"]))
        term.namespaces.insert(name);
    }
  }
}

Terms own_terms(const Question& question) {
  Terms terms = read_terms(question.pod);
  resolve_namespaces(question.world, terms.required);
  resolve_namespaces(question.world, terms.required_anti);
  resolve_namespaces(question.world, terms.preferred);
  resolve_namespaces(question.world, terms.preferred_anti);
  return terms;
}

bool matches_all(const std::vector<Term>& terms, const Pod& pod) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(),
                                       [&](const Term& term) { return matches(term, pod, {}); });
}

// Labels of nodes: key and value.
using Domains = std::set<std::pair<std::string_view, std::string_view>>;

void add_domain(const Node& node, std::string_view key, Domains& domains) {
  const View value = node.labels[key];
  if (value.exists()) domains.emplace(key, value.text());
}

bool in_domain(const Node& node, std::string_view key, const Domains& domains) {
  return node.labels[key].exists() && domains.contains({key, node.labels[key].text()});
}

struct Rules {
  Terms own = {};
  Domains wanted = {};     // of pods that match all affinity terms
  Domains unwanted = {};   // of pods that match an anti-affinity term
  Domains forbidden = {};  // of pods that do not want this one
};

// Applies a running pod's terms and labels to the rules of the pending one.
void add_rules(const Pod& asking, View namespace_labels, const Pod& running, const Node& node,
               Rules& rules) {
  if (matches_all(rules.own.required, running)) {
    for (const Term& term : rules.own.required) add_domain(node, term.key, rules.wanted);
  }
  for (const Term& term : rules.own.required_anti) {
    if (matches(term, running, {})) add_domain(node, term.key, rules.unwanted);
  }
  if (running.spec["affinity"]["podAntiAffinity"].empty()) return;
  for (const Term& term : read_terms(running).required_anti) {
    if (matches(term, asking, namespace_labels)) add_domain(node, term.key, rules.forbidden);
  }
}

Rules make_rules(const Question& question) {
  Rules rules{.own = own_terms(question)};
  const View namespace_labels =
      find(question.world.namespaces, question.pod.name_space)["metadata"]["labels"];
  for (const Node& node : question.world.nodes) {
    for (const Pod* pod : node.pods) add_rules(question.pod, namespace_labels, *pod, node, rules);
  }
  return rules;
}

bool affinity_holds(const Rules& rules, const Pod& pod, const Node& node) {
  bool all_there = true;
  for (const Term& term : rules.own.required) {
    if (!node.labels[term.key].exists()) return false;
    if (!in_domain(node, term.key, rules.wanted)) all_there = false;
  }
  // The first pod of a group with mutual affinity has no other pod to match.
  return all_there || (rules.wanted.empty() && matches_all(rules.own.required, pod));
}

std::optional<Rejection> check(const Rules& rules, const Pod& pod, const Node& node) {
  if (!affinity_holds(rules, pod, node))
    return Rejection{.reasons = {"node(s) didn't match pod affinity rules"}};
  for (const Term& term : rules.own.required_anti) {
    if (in_domain(node, term.key, rules.unwanted))
      return Rejection{.reasons = {"node(s) didn't match pod anti-affinity rules"},
                       .preemption_may_help = true};
  }
  for (const auto& [key, value] : rules.forbidden) {
    if (node.labels[key].exists() && node.labels[key].text() == value)
      return Rejection{.reasons = {"node(s) didn't satisfy existing pods anti-affinity rules"},
                       .preemption_may_help = true};
  }
  return std::nullopt;
}

// What each domain is worth.
using Worth = std::map<std::pair<std::string_view, std::string_view>, int64_t>;

void add_worth(const Term& term, int64_t weight, const Pod& pod, View namespace_labels,
               const Node& node, Worth& worth) {
  const View value = node.labels[term.key];
  if (value.exists() && matches(term, pod, namespace_labels))
    worth[{term.key, value.text()}] += weight;
}

Worth weigh(const Question& question) {
  // A pod that must run near others draws those, too: args.hardPodAffinityWeight.
  constexpr int64_t kHardWeight = 1;
  const Terms own = own_terms(question);
  const View namespace_labels =
      find(question.world.namespaces, question.pod.name_space)["metadata"]["labels"];
  Worth worth;
  for (const Node& node : question.world.nodes) {
    for (const Pod* pod : node.pods) {
      for (const Term& term : own.preferred) add_worth(term, term.weight, *pod, {}, node, worth);
      for (const Term& term : own.preferred_anti)
        add_worth(term, -term.weight, *pod, {}, node, worth);
      if (pod->spec["affinity"].empty()) continue;
      const Terms theirs = read_terms(*pod);
      for (const Term& term : theirs.required)
        add_worth(term, kHardWeight, question.pod, namespace_labels, node, worth);
      for (const Term& term : theirs.preferred)
        add_worth(term, term.weight, question.pod, namespace_labels, node, worth);
      for (const Term& term : theirs.preferred_anti)
        add_worth(term, -term.weight, question.pod, namespace_labels, node, worth);
    }
  }
  return worth;
}

}  // namespace oracle_affinity

Prepared prepare_inter_pod_affinity(const Question& question) {
  const auto rules = oracle_affinity::make_rules(question);
  const auto& problems = rules.own.problems;
  if (!problems.empty()) {
    const std::string all = join(problems, ", ");
    return {.rejection = Rejection{
                .reasons = {"parsing pod: " + (problems.size() == 1 ? all : "[" + all + "]")}}};
  }
  if (rules.forbidden.empty() && rules.own.required.empty() && rules.own.required_anti.empty())
    return {};
  return {.filter = [rules, &pod = question.pod](const Node& node) {
    return oracle_affinity::check(rules, pod, node);
  }};
}

Scores score_inter_pod_affinity(const Question& question, const Nodes& nodes) {
  const auto worth = oracle_affinity::weigh(question);
  if (worth.empty()) return {.skipped = true};
  Scores scores;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = std::numeric_limits<int64_t>::min();
  for (const Node* node : nodes) {
    int64_t sum = 0;
    for (const auto& [domain, points] : worth) {
      const View value = node->labels[domain.first];
      if (value.exists() && value.text() == domain.second) sum += points;
    }
    least = std::min(least, sum);
    most = std::max(most, sum);
    scores.points.push_back(sum);
  }
  for (int64_t& points : scores.points) {
    if (most == least) {
      points = 0;
    } else {
      const double part = static_cast<double>(points - least) / static_cast<double>(most - least);
      points = static_cast<int64_t>(static_cast<double>(kMaxScore) * part);
    }
  }
  return scores;
}

}  // namespace proa::testkit::oracle
