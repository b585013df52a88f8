#include "sim/scenarios/scenarios.h"

namespace proa::sim {
namespace table {

// To add one: a file with a make_ function, and a line here.
constexpr ScenarioEntry kScenarios[] = {
    {"replicaset", make_replica_set}, {"replicationcontroller", make_replication_controller},
    {"deployment", make_deployment},  {"statefulset", make_stateful_set},
    {"daemonset", make_daemon_set},   {"job", make_job},
    {"cronjob", make_cron_job},
};

}  // namespace table

std::span<const ScenarioEntry> all_scenarios() { return table::kScenarios; }

}  // namespace proa::sim
