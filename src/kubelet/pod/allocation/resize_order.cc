#include "kubelet/pod/allocation/resize_order.h"

#include <algorithm>
#include <tuple>

namespace proa::kubelet {

void sort_resizes(std::vector<PendingResize>& pending) {
  const auto place = [](const PendingResize& one) {
    return std::tuple(one.grows, -one.priority, !one.guaranteed, one.since.value_or(Time::max()));
  };
  std::stable_sort(pending.begin(), pending.end(),
                   [&place](const auto& a, const auto& b) { return place(a) < place(b); });
}

}  // namespace proa::kubelet
