#pragma once

#include "sim/scenario.h"

namespace proa::sim {

std::unique_ptr<Scenario> make_replica_set();
std::unique_ptr<Scenario> make_replication_controller();
std::unique_ptr<Scenario> make_deployment();
std::unique_ptr<Scenario> make_stateful_set();
std::unique_ptr<Scenario> make_daemon_set();
std::unique_ptr<Scenario> make_job();
std::unique_ptr<Scenario> make_cron_job();

}  // namespace proa::sim
