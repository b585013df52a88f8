#include "scheduler/config/validate_config.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::scheduler {
namespace {

SchedulerConfig valid_config() {
  SchedulerConfig config;
  config.parallelism = 8;
  ProfileConfig me{.scheduler_name = "me", .percentage_of_nodes_to_score = 35};
  me.plugins.at[Point::kQueueSort].enabled = {{"CustomSort"}};
  me.plugins.at[Point::kScore].disabled = {"*"};
  me.args = {{.name = "DefaultPreemption"}};
  ProfileConfig other{.scheduler_name = "other", .percentage_of_nodes_to_score = 35};
  other.plugins.at[Point::kQueueSort].enabled = {{"CustomSort"}};
  other.plugins.at[Point::kBind].enabled = {{"CustomBind"}};
  config.profiles = {me, other};
  return config;
}

TEST(ValidateConfig, SaysAllThatIsWrong) {
  struct Case {
    const char* name;
    std::function<void(SchedulerConfig& config)> spoil;
    std::string problems;
  };
  const Case cases[] = {
      {"nothing", [](SchedulerConfig&) {}, ""},
      {"parallelism", [](SchedulerConfig& c) { c.parallelism = 0; },
       "parallelism: Invalid value: 0: should be an integer value greater than zero"},
      {"burst", [](SchedulerConfig& c) { c.client_connection.burst = -1; },
       "clientConnection.burst: Invalid value: -1: must be non-negative"},
      {"lock", [](SchedulerConfig& c) { c.leader_election.resource_lock = "configmap"; },
       R"(leaderElection.resourceLock: Invalid value: "configmap": resourceLock value must be )"
       R"("leases")"},
      {"nothing to lock",
       [](SchedulerConfig& c) {
         c.leader_election.resource_name = "";
         c.leader_election.resource_namespace = "";
       },
       "leaderElection.resourceNamespace: Required value | leaderElection.resourceName: Required "
       "value"},
      {"lock of nobody",
       [](SchedulerConfig& c) {
         c.leader_election.resource_lock = "configmap";
         c.leader_election.elect = false;
       },
       ""},
      {"durations",
       [](SchedulerConfig& c) {
         c.leader_election.lease_duration = std::chrono::seconds(-1);
         c.leader_election.retry_period = std::chrono::seconds(-2);
       },
       R"(leaderElection.leaseDuration: Invalid value: "-1s": must be greater than zero | )"
       R"(leaderElection.retryPeriod: Invalid value: "-2s": must be greater than zero | )"
       R"(leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`)"},
      {"percentages",
       [](SchedulerConfig& c) {
         c.percentage_of_nodes_to_score = 101;
         c.profiles[1].percentage_of_nodes_to_score = -1;
       },
       "profiles[1].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100] | "
       "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]"},
      {"no name", [](SchedulerConfig& c) { c.profiles[1].scheduler_name = ""; },
       "profiles[1].schedulerName: Required value"},
      {"a name twice", [](SchedulerConfig& c) { c.profiles[0].scheduler_name = "other"; },
       "profiles[1].schedulerName: Duplicate value: {}"},
      {"another queue",
       [](SchedulerConfig& c) {
         c.profiles[1].plugins.at[Point::kQueueSort].enabled[0].name = "AnotherSort";
       },
       R"(profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"AnotherSort",)"
       R"("Weight":0}],"Disabled":null}: must be the same for all profiles)"},
      {"no queue",
       [](SchedulerConfig& c) { c.profiles[1].plugins.at[Point::kQueueSort].enabled.clear(); },
       R"(profiles[1].plugins.queueSort: Invalid value: {"Enabled":null,"Disabled":null}: must )"
       "be the same for all profiles"},
      {"two queues",
       [](SchedulerConfig& c) {
         for (ProfileConfig& one : c.profiles) {
           one.plugins.at[Point::kQueueSort].enabled.push_back({"AnotherSort"});
         }
       },
       "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be "
       "enabled"},
      {"args of the queue",
       [](SchedulerConfig& c) {
         c.profiles[1].args = {
             {.name = "CustomSort",
              .document = std::make_shared<const json::Document>(*json::parse(R"({"a":1})"))}};
       },
       R"(profiles[1].pluginConfig.args: Invalid value: {"a":1}: queueSort must be the same for )"
       "all profiles"},
      {"args twice",
       [](SchedulerConfig& c) {
         c.profiles[0].args = {{.name = "config"}, {.name = "config"}};
       },
       R"(profiles[0].pluginConfig[1]: Duplicate value: "config")"},
      {"removed plugins",
       [](SchedulerConfig& c) {
         c.profiles[0].plugins.at[Point::kScore].enabled = {{"x"}, {"EBSLimits"}};
         c.profiles[0].args = {{.name = "CinderLimits"}};
       },
       R"(profiles[0].plugins.score.enabled[1]: Invalid value: "EBSLimits": was invalid in )"
       R"(version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1") | )"
       R"(profiles[0].pluginConfig[0]: Invalid value: "CinderLimits": was invalid in )"
       R"(version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1"))"},
      {"backoff",
       [](SchedulerConfig& c) {
         c.pod_initial_backoff_seconds = 0;
         c.pod_max_backoff_seconds = -1;
       },
       "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0 | podMaxBackoffSeconds: "
       "Invalid value: -1: must be greater than or equal to PodInitialBackoffSeconds"},
      {"no profiles", [](SchedulerConfig& c) { c.profiles.clear(); }, "profiles: Required value"},
      {"extenders", [](SchedulerConfig& c) { c.extenders = 1; },
       "extenders: Forbidden: Proa's scheduler calls no extenders"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SchedulerConfig config = valid_config();
    c.spoil(config);
    api::FieldErrors errors;
    validate_config(config, errors);
    EXPECT_EQ(join(errors.texts(), " | "), c.problems);
  }
}

}  // namespace
}  // namespace proa::scheduler
