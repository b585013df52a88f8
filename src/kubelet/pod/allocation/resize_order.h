#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace proa::kubelet {

struct PendingResize {
  std::string uid = {};
  bool grows = true;  // asks for more of something
  int64_t priority = 0;
  bool guaranteed = false;
  std::optional<Time> since = {};  // when it was put off first
};

// Who is asked first when there may be room: those that don't grow, then by priority, by quality of
// service, and by how long they wait; those that never had to wait come last.
void sort_resizes(std::vector<PendingResize>& pending);

}  // namespace proa::kubelet
