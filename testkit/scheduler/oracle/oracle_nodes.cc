#include "testkit/scheduler/oracle/oracle_nodes.h"

#include <algorithm>
#include <tuple>

namespace proa::testkit::oracle {
namespace oracle_nodes {

struct Taint {
  std::string_view key;
  std::string_view value;
  std::string_view effect;
};

Taint read_taint(View taint) {
  return {taint["key"].text(), taint["value"].text(), taint["effect"].text()};
}

// Lt and Gt tolerate nothing: gate TaintTolerationComparisonOperators is off.
bool tolerates(View toleration, const Taint& taint) {
  const auto effect = toleration["effect"].text();
  const auto key = toleration["key"].text();
  const auto op = toleration["operator"].text();
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return toleration["value"].text() == taint.value;
  return op == "Exists";
}

bool tolerated(const Pod& pod, const Taint& taint) {
  const auto tolerations = pod.spec["tolerations"].items();
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](View toleration) { return tolerates(toleration, taint); });
}

struct HostPort {
  std::string_view ip;
  std::string_view protocol;
  int64_t port = 0;
};

void add_ports(View container, std::vector<HostPort>& ports) {
  for (const View port : container["ports"].items()) {
    if (port["hostPort"].integer() <= 0) continue;
    const auto ip = port["hostIP"].text();
    const auto protocol = port["protocol"].text();
    ports.push_back({.ip = ip.empty() ? "0.0.0.0" : ip,
                     .protocol = protocol.empty() ? "TCP" : protocol,
                     .port = port["hostPort"].integer()});
  }
}

// Of containers that run for the lifetime of the pod.
std::vector<HostPort> host_ports(const Pod& pod) {
  std::vector<HostPort> ports;
  for (const View container : pod.spec["initContainers"].items()) {
    if (container["restartPolicy"].text() == "Always") add_ports(container, ports);
  }
  for (const View container : pod.spec["containers"].items()) add_ports(container, ports);
  return ports;
}

bool conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == "0.0.0.0" || b.ip == "0.0.0.0");
}

bool port_taken(const Node& node, const HostPort& wanted) {
  for (const Pod* pod : node.pods) {
    for (const HostPort& used : host_ports(*pod)) {
      if (conflict(used, wanted)) return true;
    }
  }
  return false;
}

bool has_image(const Node& node, std::string_view name) {
  for (const View image : node.status["images"].items()) {
    for (const View known : image["names"].items()) {
      if (known.text() == name) return true;
    }
  }
  return false;
}

// The size reported by the first node that has it; upstream's cache keeps that for all.
int64_t image_size(const World& world, std::string_view name) {
  for (const Node& node : world.nodes) {
    for (const View image : node.status["images"].items()) {
      for (const View known : image["names"].items()) {
        if (known.text() == name) return image["sizeBytes"].integer();
      }
    }
  }
  return 0;
}

std::string with_tag(std::string_view image) {
  const auto colon = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return std::string(image) + (tagged ? "" : ":latest");
}

// An image counts by the fraction of nodes that have it: a rare one would attract all pods to one
// node.
int64_t image_worth(const World& world, std::string_view name) {
  const auto having = std::count_if(world.nodes.begin(), world.nodes.end(),
                                    [&](const Node& node) { return has_image(node, name); });
  const double spread = static_cast<double>(having) / static_cast<double>(world.nodes.size());
  return static_cast<int64_t>(static_cast<double>(image_size(world, name)) * spread);
}

std::vector<std::string> images(const Pod& pod) {
  std::vector<std::string> names;
  for (const char* kind : {"initContainers", "containers"}) {
    for (const View container : pod.spec[kind].items())
      names.push_back(with_tag(container["image"].text()));
  }
  for (const View volume : pod.spec["volumes"].items()) {
    if (volume["image"].exists()) names.push_back(with_tag(volume["image"]["reference"].text()));
  }
  return names;
}

}  // namespace oracle_nodes

bool tolerates(const Pod& pod, const Node& node) {
  for (const View one : node.spec["taints"].items()) {
    const auto taint = oracle_nodes::read_taint(one);
    const bool keeps_away = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (keeps_away && !oracle_nodes::tolerated(pod, taint)) return false;
  }
  return true;
}

Prepared prepare_node_unschedulable(const Question& question) {
  const bool tolerated =
      oracle_nodes::tolerated(question.pod, {"node.kubernetes.io/unschedulable", "", "NoSchedule"});
  return {.filter = [tolerated](const Node& node) -> std::optional<Rejection> {
    if (tolerated || !node.spec["unschedulable"].flag()) return std::nullopt;
    return Rejection{.reasons = {"node(s) were unschedulable"}};
  }};
}

Prepared prepare_node_name(const Question& question) {
  const auto wanted = question.pod.spec["nodeName"].text();
  return {.filter = [wanted](const Node& node) -> std::optional<Rejection> {
    if (wanted.empty() || wanted == node.name) return std::nullopt;
    return Rejection{.reasons = {"node(s) didn't match the requested node name"}};
  }};
}

Prepared prepare_taint_toleration(const Question& question) {
  return {.filter = [&pod = question.pod](const Node& node) -> std::optional<Rejection> {
    if (tolerates(pod, node)) return std::nullopt;
    return Rejection{.reasons = {"node(s) had untolerated taint(s)"}};
  }};
}

Prepared prepare_node_ports(const Question& question) {
  const auto wanted = oracle_nodes::host_ports(question.pod);
  if (wanted.empty()) return {};
  return {.filter = [wanted](const Node& node) -> std::optional<Rejection> {
    for (const auto& port : wanted) {
      if (oracle_nodes::port_taken(node, port))
        return Rejection{.reasons = {"node(s) didn't have free ports for the requested pod ports"},
                         .preemption_may_help = true};
    }
    return std::nullopt;
  }};
}

Scores score_taint_toleration(const Question& question, const Nodes& nodes) {
  Scores scores;
  for (const Node* node : nodes) {
    int64_t bothering = 0;
    for (const View one : node->spec["taints"].items()) {
      const auto taint = oracle_nodes::read_taint(one);
      if (taint.effect == "PreferNoSchedule" && !oracle_nodes::tolerated(question.pod, taint))
        ++bothering;
    }
    scores.points.push_back(bothering);
  }
  normalize(scores.points, true);
  return scores;
}

Scores score_image_locality(const Question& question, const Nodes& nodes) {
  // Covers nine of ten images of a public registry.
  constexpr int64_t kMegabyte = 1024 * 1024;
  constexpr int64_t kLeast = 23 * kMegabyte;
  const auto containers = static_cast<int64_t>(question.pod.spec["initContainers"].size() +
                                               question.pod.spec["containers"].size());
  const int64_t most = 1000 * kMegabyte * containers;
  const auto names = oracle_nodes::images(question.pod);
  Scores scores;
  for (const Node* node : nodes) {
    int64_t sum = 0;
    for (const auto& name : names) {
      if (oracle_nodes::has_image(*node, name))
        sum += oracle_nodes::image_worth(question.world, name);
    }
    sum = sum < kLeast ? kLeast : std::min(sum, most);
    scores.points.push_back(kMaxScore * (sum - kLeast) / (most - kLeast));
  }
  return scores;
}

}  // namespace proa::testkit::oracle
