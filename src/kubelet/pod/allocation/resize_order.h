#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "base/time.h"

namespace proa::kubelet {

struct PendingResize {
  api::Uid uid = {};
  bool grows = true;  // requests more of something
  int64_t priority = 0;
  bool guaranteed = false;
  std::optional<Time> since = {};  // when it was deferred first
};

// The order in which pending resizes are retried: those that do not grow, then by priority, QoS
// class and waiting time; those that were never deferred come last.
void sort_resizes(std::vector<PendingResize>& pending);

}  // namespace proa::kubelet
