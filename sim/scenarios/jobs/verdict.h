#pragma once

#include "sim/scenarios/checks.h"

namespace proa::sim {

// What the pods of a job did that its status does not tell.
struct Deeds {
  bool fatal_failure = false;  // one of them failed with the code that no policy forgives
  int64_t restarts = 0;        // of their containers, at most
};

// Complains when a finished job is complete or failed for no good reason. REQUIRES: it is finished.
void check_verdict(const api::Object& job, const Deeds& deeds, Complaints& complaints);

}  // namespace proa::sim
