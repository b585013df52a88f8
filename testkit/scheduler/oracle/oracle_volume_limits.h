#pragma once

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

Prepared prepare_volume_limits(const Question& question);

}  // namespace proa::testkit::oracle
