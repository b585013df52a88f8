#pragma once

#include <vector>

#include "scheduler/explain/explanation.h"
#include "scheduler/model/pod.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// The pod's claims that exist and are not bound. What cannot be read is left out.
std::vector<UnboundClaim> unbound_claims(const SchedulerContext& context, const Pod& pod);

// "claim data (StorageClass fast): provisioner example.com/fast has not provisioned it"
std::string describe(const UnboundClaim& claim);

}  // namespace proa::scheduler
