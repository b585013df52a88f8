#pragma once

#include "sim/scenario.h"

namespace proa::sim {

std::unique_ptr<Scenario> make_replica_set();
std::unique_ptr<Scenario> make_replication_controller();
std::unique_ptr<Scenario> make_deployment();

}  // namespace proa::sim
