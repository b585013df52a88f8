#pragma once

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

// There is no score: gate StorageCapacityScoring is off.
Prepared prepare_volume_binding(const Question& question);

}  // namespace proa::testkit::oracle
