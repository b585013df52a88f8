#include "scheduler/config/validate_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/object/edit.h"
#include "scheduler/config/config_schema.h"

namespace proa::scheduler {
namespace config_checks {

using api::FieldErrors;
using api::Path;

// They were removed before v1.
constexpr std::array<std::string_view, 4> kRemovedPlugins = {"AzureDiskLimits", "CinderLimits",
                                                             "EBSLimits", "GCEPDLimits"};
constexpr std::string_view kWasRemoved =
    R"(was invalid in version "v1" (KubeSchedulerConfiguration is version )"
    R"("kubescheduler.config.k8s.io/v1"))";

bool was_removed(std::string_view plugin) {
  return std::find(kRemovedPlugins.begin(), kRemovedPlugins.end(), plugin) != kRemovedPlugins.end();
}

void check_leader_election(const LeaderElection& election, const Path& path, FieldErrors& errors) {
  if (!election.elect) return;
  const auto check_positive = [&](std::string_view field, Duration duration) {
    if (duration > Duration::zero()) return;
    errors.invalid(path.field(field), format_duration(duration), "must be greater than zero");
  };
  check_positive("leaseDuration", election.lease_duration);
  check_positive("renewDeadline", election.renew_deadline);
  check_positive("retryPeriod", election.retry_period);
  if (election.lease_duration <= election.renew_deadline) {
    // Upstream shows the other value, too.
    errors.invalid(path.field("leaseDuration"), format_duration(election.renew_deadline),
                   "must be greater than `RenewDeadline`");
  }
  const auto check_there = [&](std::string_view field, const std::string& text) {
    if (text.empty()) errors.required(path.field(field));
  };
  check_there("resourceLock", election.resource_lock);
  check_there("resourceNamespace", election.resource_namespace);
  check_there("resourceName", election.resource_name);
  if (election.resource_lock != "leases") {
    errors.invalid(path.field("resourceLock"), election.resource_lock,
                   R"(resourceLock value must be "leases")");
  }
}

void check_percentage(std::optional<int32_t> percentage, const Path& path, FieldErrors& errors) {
  if (!percentage || (*percentage >= 0 && *percentage <= 100)) return;
  errors.invalid(path, *percentage, "not in valid range [0-100]");
}

void check_plugins(const PluginSets& plugins, const Path& path, FieldErrors& errors) {
  for (const PointName& point : kPoints) {
    const Path at = path.field(point.field);
    const Path enabled = at.field("enabled");
    const std::vector<PluginChoice>& chosen = plugins.at[point.point].enabled;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (was_removed(chosen[i].name))
        errors.invalid(enabled.index(i), chosen[i].name, kWasRemoved);
    }
  }
}

void check_args(const std::vector<PluginArgs>& args, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < args.size(); ++i) {
    const Path at = path.index(i);
    if (!seen.insert(args[i].name).second) errors.duplicate(at, args[i].name);
    if (was_removed(args[i].name)) errors.invalid(at, args[i].name, kWasRemoved);
  }
}

void check_profile(const ProfileConfig& profile, const Path& path, FieldErrors& errors) {
  if (profile.scheduler_name.empty()) errors.required(path.field("schedulerName"));
  check_percentage(profile.percentage_of_nodes_to_score, path.field("percentageOfNodesToScore"),
                   errors);
  check_plugins(profile.plugins, path.field("plugins"), errors);
  check_args(profile.args, path.field("pluginConfig"), errors);
}

// As upstream's own struct prints.
json::Document printed(const PluginSet& set) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit edit(document);
  const auto put = [&](const char* field, const std::string& name, int32_t weight) {
    const api::Edit one = edit.array(field).push_object();
    one.set("Name", name);
    one.set("Weight", weight);
  };
  edit.set("Enabled", json::Value());
  edit.set("Disabled", json::Value());
  for (const PluginChoice& one : set.enabled) put("Enabled", one.name, one.weight);
  for (const std::string& one : set.disabled) put("Disabled", one, 0);
  return document;
}

// All profiles share one queue. multiPoint is checked when profiles are planned.
void check_queue_sort(const std::vector<ProfileConfig>& profiles, const Path& path,
                      FieldErrors& errors) {
  const PluginSet& first = profiles[0].plugins.at[Point::kQueueSort];
  if (first.enabled.size() > 1) {
    const Path at = path.index(0);
    errors.invalid(at.field("plugins.queueSort.Enabled"),
                   static_cast<int64_t>(first.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  const std::string name = first.enabled.empty() ? "" : first.enabled[0].name;
  const api::View args = name.empty() ? api::View() : profiles[0].args_of(name);
  for (size_t i = 1; i < profiles.size(); ++i) {
    const Path at = path.index(i);
    const PluginSet& own = profiles[i].plugins.at[Point::kQueueSort];
    if (own != first) {
      errors.invalid(at.field("plugins.queueSort"), printed(own).root(),
                     "must be the same for all profiles");
    }
    for (const PluginArgs& one : profiles[i].args) {
      if (one.name != name || one.view() == args) continue;
      errors.invalid(at.field("pluginConfig.args"), one.view(),
                     "queueSort must be the same for all profiles");
    }
  }
}

void check_profiles(const std::vector<ProfileConfig>& profiles, const Path& path,
                    FieldErrors& errors) {
  if (profiles.empty()) return errors.required(path);
  // Upstream prints the path of the other one here, which has nothing to print.
  json::Document nothing;
  nothing.root() = json::Value::object();
  std::set<std::string_view> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const Path at = path.index(i);
    check_profile(profiles[i], at, errors);
    if (!names.insert(profiles[i].scheduler_name).second) {
      errors.duplicate(at.field("schedulerName"), api::View(nothing.root()));
    }
  }
  check_queue_sort(profiles, path, errors);
}

}  // namespace config_checks

void validate_config(const SchedulerConfig& config, api::FieldErrors& errors) {
  using api::Path;
  if (config.client_connection.burst < 0) {
    errors.invalid(Path("clientConnection.burst"), config.client_connection.burst,
                   "must be non-negative");
  }
  config_checks::check_leader_election(config.leader_election, Path("leaderElection"), errors);
  if (config.parallelism <= 0) {
    errors.invalid(Path("parallelism"), config.parallelism,
                   "should be an integer value greater than zero");
  }
  config_checks::check_profiles(config.profiles, Path("profiles"), errors);
  config_checks::check_percentage(config.percentage_of_nodes_to_score,
                                  Path("percentageOfNodesToScore"), errors);
  if (config.pod_initial_backoff_seconds <= 0) {
    errors.invalid(Path("podInitialBackoffSeconds"), config.pod_initial_backoff_seconds,
                   "must be greater than 0");
  }
  if (config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds) {
    errors.invalid(Path("podMaxBackoffSeconds"), config.pod_max_backoff_seconds,
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  if (config.extenders > 0) {
    errors.forbidden(Path("extenders"), "Proa's scheduler calls no extenders");
  }
}

}  // namespace proa::scheduler
