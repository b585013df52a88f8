#pragma once

#include "testkit/scheduler/oracle/oracle_world.h"

// Plugins that look at a node and what runs there, one at a time.

namespace proa::testkit::oracle {

Prepared prepare_node_unschedulable(const Question& question);
Prepared prepare_node_name(const Question& question);
Prepared prepare_taint_toleration(const Question& question);
Prepared prepare_node_ports(const Question& question);

Scores score_taint_toleration(const Question& question, const Nodes& nodes);
Scores score_image_locality(const Question& question, const Nodes& nodes);

// No taint keeps the pod away from being scheduled there.
bool tolerates(const Pod& pod, const Node& node);

}  // namespace proa::testkit::oracle
