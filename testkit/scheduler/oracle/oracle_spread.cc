#include "testkit/scheduler/oracle/oracle_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "testkit/scheduler/oracle/oracle_node_selector.h"
#include "testkit/scheduler/oracle/oracle_nodes.h"

namespace proa::testkit::oracle {
namespace oracle_spread {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

struct Constraint {
  int64_t max_skew = 0;
  std::string_view key = {};
  Selector selector = {};
  int64_t min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;
};

using Constraints = std::vector<Constraint>;
using Counts = std::map<std::string, int64_t, std::less<>>;

Result<Constraint> read_constraint(const Pod& pod, View constraint) {
  Constraint read{.max_skew = constraint["maxSkew"].integer(),
                  .key = constraint["topologyKey"].text(),
                  .min_domains = constraint["minDomains"].integer(1),
                  .honor_affinity = constraint["nodeAffinityPolicy"].text("Honor") == "Honor",
                  .honor_taints = constraint["nodeTaintsPolicy"].text("Ignore") == "Honor"};
  read.selector.rest = TRY(api::LabelSelector::from(constraint["labelSelector"]));
  for (const View key : constraint["matchLabelKeys"].items()) {
    const View label = pod.labels[key.text()];
    if (label.exists()) read.selector.pairs[std::string(key.text())] = label.text();
  }
  return read;
}

// What the services of a pod and its controller select.
Selector default_selector(const Question& question) {
  const Pod& pod = question.pod;
  Selector selector;
  const auto merge = [&](View labels) {
    for (const json::Member& label : labels.members())
      selector.pairs[std::string(label.key)] = View(label.value).text();
  };
  for (const View service : question.world.services) {
    const View wanted = service["spec"]["selector"];
    if (service["metadata"]["namespace"].text() != pod.name_space || !wanted.exists()) continue;
    if (api::LabelSelector::from_map(wanted).matches(pod.labels)) merge(wanted);
  }
  const auto add = [&](View set) {
    auto other = api::LabelSelector::from(set["spec"]["selector"]);
    if (other.ok() && !other->matches_nothing()) selector.rest = std::move(other).value();
  };
  for (const View owner : pod.object["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].flag()) continue;
    const auto kind =
        std::string(owner["apiVersion"].text()) + " " + std::string(owner["kind"].text());
    const auto key = key_of(pod.name_space, owner["name"].text());
    if (kind == "v1 ReplicationController")
      merge(find(question.world.replication_controllers, key)["spec"]["selector"]);
    if (kind == "apps/v1 ReplicaSet") add(find(question.world.replica_sets, key));
    if (kind == "apps/v1 StatefulSet") add(find(question.world.stateful_sets, key));
    break;
  }
  return selector;
}

// The system defaults, which never reject a node.
Constraints default_constraints(const Question& question) {
  const Selector selector = default_selector(question);
  if (selector.empty()) return {};
  return {{.max_skew = 3, .key = kHostname, .selector = selector},
          {.max_skew = 5, .key = kZone, .selector = selector}};
}

bool has_own(const Pod& pod) { return !pod.spec["topologySpreadConstraints"].empty(); }

Result<Constraints> read_constraints(const Pod& pod, std::string_view when_unsatisfiable) {
  Constraints constraints;
  for (const View one : pod.spec["topologySpreadConstraints"].items()) {
    if (one["whenUnsatisfiable"].text() != when_unsatisfiable) continue;
    constraints.push_back(TRY(read_constraint(pod, one)));
  }
  return constraints;
}

bool has_all_keys(const Node& node, const Constraints& constraints) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const Constraint& one) { return node.labels[one.key].exists(); });
}

bool counts(const Constraint& constraint, const Pod& pod, const Node& node,
            const RequiredNodeAffinity& affinity) {
  if (constraint.honor_affinity && !affinity.matches(node)) return false;
  return !constraint.honor_taints || tolerates(pod, node);
}

// As upstream's countPodsMatchSelector, a selector that matches everything counts no pods.
int64_t count_pods(const Node& node, const Selector& selector, std::string_view name_space) {
  if (selector.empty()) return 0;
  return std::count_if(node.pods.begin(), node.pods.end(), [&](const Pod* pod) {
    return !pod->being_deleted && pod->name_space == name_space && selector.matches(pod->labels);
  });
}

// Counts per eligible domain.
std::vector<Counts> count_domains(const Question& question, const Constraints& constraints) {
  const RequiredNodeAffinity affinity(question.pod);
  std::vector<Counts> domains(constraints.size());
  for (const Node& node : question.world.nodes) {
    if (!has_all_keys(node, constraints)) continue;
    for (size_t i = 0; i < constraints.size(); ++i) {
      if (!counts(constraints[i], question.pod, node, affinity)) continue;
      domains[i][std::string(node.labels[constraints[i].key].text())] +=
          count_pods(node, constraints[i].selector, question.pod.name_space);
    }
  }
  return domains;
}

int64_t least(const Counts& domains, int64_t min_domains) {
  if (static_cast<int64_t>(domains.size()) < min_domains) return 0;
  int64_t least = std::numeric_limits<int32_t>::max();
  for (const auto& [value, count] : domains) least = std::min(least, count);
  return least;
}

std::optional<Rejection> check(const Question& question, const Constraints& constraints,
                               const std::vector<Counts>& domains, const Node& node) {
  const std::string reason = "node(s) didn't match pod topology spread constraints";
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& constraint = constraints[i];
    const View value = node.labels[constraint.key];
    if (!value.exists()) return Rejection{.reasons = {reason + " (missing required label)"}};
    const auto domain = domains[i].find(value.text());
    const int64_t there = domain == domains[i].end() ? 0 : domain->second;
    const int64_t self = constraint.selector.matches(question.pod.labels) ? 1 : 0;
    if (there + self - least(domains[i], constraint.min_domains) > constraint.max_skew)
      return Rejection{.reasons = {reason}, .preemption_may_help = true};
  }
  return std::nullopt;
}

struct Scoring {
  const Question& question;
  Constraints constraints;
  bool all_keys_needed;  // not for system defaults: nodes without a zone still spread over hosts
};

bool ignored(const Scoring& scoring, const Node& node) {
  return scoring.all_keys_needed && !has_all_keys(node, scoring.constraints);
}

// Counts per domain of these nodes. A node without the key is in the domain "".
Counts count_soft(const Scoring& scoring, const Constraint& constraint, const Nodes& nodes) {
  Counts domains;
  for (const Node* node : nodes) {
    if (!ignored(scoring, *node)) domains[std::string(node->labels[constraint.key].text())] = 0;
  }
  const Pod& pod = scoring.question.pod;
  const RequiredNodeAffinity affinity(pod);
  for (const Node& node : scoring.question.world.nodes) {
    if (ignored(scoring, node) || !counts(constraint, pod, node, affinity)) continue;
    const auto domain = domains.find(node.labels[constraint.key].text());
    if (domain != domains.end())
      domain->second += count_pods(node, constraint.selector, pod.name_space);
  }
  return domains;
}

// Adds the weighted count of each node's domain: the weight of a pod grows with the number of
// domains.
void add_crowding(const Scoring& scoring, const Constraint& constraint, const Nodes& nodes,
                  std::vector<double>& sums) {
  const bool by_host = constraint.key == kHostname;
  const Counts domains = by_host ? Counts() : count_soft(scoring, constraint, nodes);
  const auto hosts = std::count_if(nodes.begin(), nodes.end(),
                                   [&](const Node* node) { return !ignored(scoring, *node); });
  const auto size = by_host ? static_cast<size_t>(hosts) : domains.size();
  const double weight = std::log(static_cast<double>(size + 2));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const View value = nodes[i]->labels[constraint.key];
    if (ignored(scoring, *nodes[i]) || !value.exists()) continue;
    const int64_t pods =
        by_host ? count_pods(*nodes[i], constraint.selector, scoring.question.pod.name_space)
                : domains.find(value.text())->second;
    sums[i] += static_cast<double>(pods) * weight + static_cast<double>(constraint.max_skew - 1);
  }
}

// Inverts the scale: the emptiest gets the highest score.
void turn_around(const Scoring& scoring, const Nodes& nodes, std::vector<int64_t>& points) {
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (ignored(scoring, *nodes[i])) continue;
    least = std::min(least, points[i]);
    most = std::max(most, points[i]);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (ignored(scoring, *nodes[i])) {
      points[i] = 0;
    } else {
      points[i] = most == 0 ? kMaxScore : kMaxScore * (most + least - points[i]) / most;
    }
  }
}

}  // namespace oracle_spread

Prepared prepare_topology_spread(const Question& question) {
  auto constraints = oracle_spread::read_constraints(question.pod, "DoNotSchedule");
  if (!constraints.ok()) return {.rejection = Rejection{.error = constraints.status().message()}};
  if (constraints->empty()) return {};
  auto domains = oracle_spread::count_domains(question, *constraints);
  return {.filter = [&question, constraints = *constraints, domains](const Node& node) {
    return oracle_spread::check(question, constraints, domains, node);
  }};
}

Scores score_topology_spread(const Question& question, const Nodes& nodes) {
  const bool own = oracle_spread::has_own(question.pod);
  auto constraints = own ? oracle_spread::read_constraints(question.pod, "ScheduleAnyway")
                         : oracle_spread::default_constraints(question);
  if (!constraints.ok()) return {.error = constraints.status().message()};
  if (constraints->empty()) return {.skipped = true};
  const oracle_spread::Scoring scoring{question, *constraints, own};
  std::vector<double> sums(nodes.size());
  for (const auto& constraint : scoring.constraints)
    oracle_spread::add_crowding(scoring, constraint, nodes, sums);
  Scores scores;
  for (const double sum : sums) scores.points.push_back(std::llround(sum));
  oracle_spread::turn_around(scoring, nodes, scores.points);
  return scores;
}

}  // namespace proa::testkit::oracle
