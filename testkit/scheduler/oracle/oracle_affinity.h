#pragma once

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

Prepared prepare_inter_pod_affinity(const Question& question);
Scores score_inter_pod_affinity(const Question& question, const Nodes& nodes);

}  // namespace proa::testkit::oracle
