#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "base/time.h"
#include "client/leader/election.h"
#include "json/value.h"
#include "scheduler/config/points.h"

// What a KubeSchedulerConfiguration says, with its defaults.

namespace proa::scheduler {

struct LeaderElection : client::ElectionPace {
  bool elect = true;
  std::string resource_lock = "leases";
  std::string resource_name = "kube-scheduler";
  std::string resource_namespace = "kube-system";
};

struct ClientConnection {
  std::string kubeconfig = {};
  std::string accept_content_types = {};
  std::string content_type = "application/vnd.kubernetes.protobuf";
  double queries_per_second = 50;
  int64_t burst = 100;
};

struct PluginChoice {
  std::string name = {};
  int32_t weight = 0;  // zero: not said; that counts as one

  bool operator==(const PluginChoice&) const = default;
};

// Of one point. "*" among the disabled ones is all that are there by default.
struct PluginSet {
  std::vector<PluginChoice> enabled = {};
  std::vector<std::string> disabled = {};

  bool operator==(const PluginSet&) const = default;
};

struct PluginSets {
  PluginSet multi_point = {};  // for all points at which the plugins take part
  PerPoint<PluginSet> at = {};

  bool operator==(const PluginSets&) const = default;
};

struct PluginArgs {
  std::string name = {};
  std::shared_ptr<const json::Document> document = {};  // null: nothing is said

  api::View view() const { return document ? api::View(document->root()) : api::View(); }
};

struct ProfileConfig {
  std::string scheduler_name = {};
  std::optional<int32_t> percentage_of_nodes_to_score = std::nullopt;  // else the global one
  PluginSets plugins = {};  // together with the default ones
  std::vector<PluginArgs> args = {};

  // Absent where nothing is said.
  api::View args_of(std::string_view plugin) const {
    for (const PluginArgs& one : args) {
      if (one.name == plugin) return one.view();
    }
    return {};
  }
};

struct SchedulerConfig {
  int32_t parallelism = 16;  // accepted, without a meaning here: one thread decides
  LeaderElection leader_election = {};
  ClientConnection client_connection = {};
  int32_t percentage_of_nodes_to_score = 0;  // zero: as the size of the cluster has it
  int64_t pod_initial_backoff_seconds = 1;
  int64_t pod_max_backoff_seconds = 10;
  bool delay_cache_until_active = false;
  std::vector<ProfileConfig> profiles = {};
  size_t extenders = 0;  // how many it wants; none are to be had
};

}  // namespace proa::scheduler
