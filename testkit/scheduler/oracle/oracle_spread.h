#pragma once

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

Prepared prepare_topology_spread(const Question& question);
Scores score_topology_spread(const Question& question, const Nodes& nodes);

}  // namespace proa::testkit::oracle
