#include "cli/node/pod_walls.h"

#include <algorithm>

#include "api/schema/builtin.h"
#include "cli/command_line/step.h"

namespace proa::cli {
namespace pod_walls {

// For the rules of a new pod, which take some milliseconds.
constexpr Duration kMostPrepare = std::chrono::seconds(10);

}  // namespace pod_walls

void PodWalls::start(Terminal& terminal, bool our_bridge) {
  start_policies(terminal);
  start_guard(terminal, our_bridge);
}

void PodWalls::stop() {
  if (policies_ != nullptr) policies_->stop();
  if (guard_ != nullptr) guard_->stop();
}

void PodWalls::start_policies(Terminal& terminal) {
  const NodeSettings& settings = context_.settings;
  const std::string table = settings.place.policy_table;
  if (!settings.network.policies) {
    const Result<bool> removed = policy::remove_policy_rules(table, context_.clock);
    if (removed.ok() && *removed) print_step(terminal, "policy", "none, former rules are removed");
    return;
  }
  std::vector<IpAddress> dns;
  for (const std::string& text : settings.kubelet.cluster_dns) {
    if (const auto address = parse_ip(text)) dns.push_back(*address);
  }
  policies_ = std::make_unique<policy::PolicyAgent>(
      policy::PolicyAgent::Context{.client = context_.client,
                                   .schema = api::builtin_schema(),
                                   .clock = context_.clock,
                                   .random = context_.random,
                                   .node = settings.kubelet.node_name,
                                   .table = table,
                                   .bridge = settings.place.bridge,
                                   .dns = std::move(dns)});
  const Result<void> started = policies_->start();
  if (started.ok()) return;
  policies_.reset();
  print_step(terminal, "policy",
             "off, NetworkPolicies are not enforced: " + started.status().message());
}

void PodWalls::start_guard(Terminal& terminal, bool our_bridge) {
  const NodeSettings& settings = context_.settings;
  const network::NetworkOptions& options = settings.network.options;
  if (!settings.network.guard || !our_bridge) {
    const Result<void> removed = network::remove_guard(options, context_.clock);
    if (!removed.ok())
      print_step(terminal, "guard", "former rules stay: " + removed.status().message());
    return;
  }
  guard_ = std::make_unique<network::PodGuard>(network::PodGuard::Context{.files = context_.files,
                                                                          .clock = context_.clock,
                                                                          .random = context_.random,
                                                                          .options = options});
  const Result<void> started = guard_->start();
  if (started.ok()) return;
  guard_.reset();
  print_step(terminal, "guard",
             "off, pods can send with addresses of others: " + started.status().message());
}

Result<void> PodWalls::prepare(const kubelet::Pod& pod, const std::vector<std::string>& addresses,
                               bool our_bridge, const Until& until) const {
  policy::PolicyAgent::NewPod made{.key = {std::string(pod.name_space()), std::string(pod.name())},
                                   .uid = pod.uid().str(),
                                   .addresses = {}};
  for (const std::string& text : addresses) {
    if (const auto address = parse_ip(text)) made.addresses.push_back(*address);
  }
  if (made.addresses.empty()) return {};
  // Another network may have been found since.
  if (guard_ != nullptr && our_bridge) TRY(guard_->prepare(made.addresses));
  // Static pods run whether or not the API is there to say what their policies are.
  if (policies_ == nullptr || pod.is_static()) return {};
  const Steady soon = context_.clock.steady() + pod_walls::kMostPrepare;
  return policies_->prepare(made, {.deadline = std::min(soon, until.deadline), .stop = until.stop});
}

}  // namespace proa::cli
