#pragma once

#include <memory>

#include "apiserver/resources/call/context.h"
#include "apiserver/streaming/kubelet_trust.h"
#include "base/clock.h"
#include "base/threads/pool.h"

namespace proa::apiserver {

// Makes `trust` store its pins in the annotations of Nodes, on the pool. REQUIRES: context and
// clock outlive the pool, and the pool outlives the last check.
void store_kubelet_pins(const std::shared_ptr<KubeletTrust>& trust, const ApiContext& context,
                        Clock& clock, WorkerPool& pool);

}  // namespace proa::apiserver
