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

// A KubeSchedulerConfiguration with defaults applied.

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
  int32_t weight = 0;  // zero: not set, counts as one

  bool operator==(const PluginChoice&) const = default;
};

// The plugins of one extension point. "*" in `disabled` disables all defaults.
struct PluginSet {
  std::vector<PluginChoice> enabled = {};
  std::vector<std::string> disabled = {};

  bool operator==(const PluginSet&) const = default;
};

struct PluginSets {
  PluginSet multi_point = {};  // for all extension points of the plugins
  PerPoint<PluginSet> at = {};

  bool operator==(const PluginSets&) const = default;
};

struct PluginArgs {
  std::string name = {};
  std::shared_ptr<const json::Document> document = {};  // null: not set

  api::View view() const { return document ? api::View(document->root()) : api::View(); }
};

struct ProfileConfig {
  std::string scheduler_name = {};
  std::optional<int32_t> percentage_of_nodes_to_score = std::nullopt;  // default: the global one
  PluginSets plugins = {};  // merged with the default plugins
  std::vector<PluginArgs> args = {};

  // Absent if not set.
  api::View args_of(std::string_view plugin) const {
    for (const PluginArgs& one : args) {
      if (one.name == plugin) return one.view();
    }
    return {};
  }
};

struct SchedulerConfig {
  int32_t parallelism = 16;  // accepted and ignored: scheduling is single-threaded
  LeaderElection leader_election = {};
  ClientConnection client_connection = {};
  int32_t percentage_of_nodes_to_score = 0;  // zero: adaptive to the cluster's size
  int64_t pod_initial_backoff_seconds = 1;
  int64_t pod_max_backoff_seconds = 10;
  bool delay_cache_until_active = false;
  std::vector<ProfileConfig> profiles = {};
  size_t extenders = 0;  // number of extenders in the file; none are supported
};

}  // namespace proa::scheduler
