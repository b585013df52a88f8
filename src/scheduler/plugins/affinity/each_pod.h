#pragma once

#include "scheduler/model/cluster.h"

namespace proa::scheduler {

// Calls `take(shape, index)` for every pod on the nodes for which `wants(node)` is true. Nodes, pod
// lists and pods are prefetched some nodes ahead, since they are scattered in memory.
template <typename Wants, typename Take>
void for_each_pod(const Cluster& cluster, Wants wants, Take take) {
  const size_t slots = cluster.slots();
  for (NodeIndex index = 0; index < slots; ++index) {
    if (index + 6 < slots) __builtin_prefetch(&cluster.at(index + 6).pods());
    if (index + 4 < slots) __builtin_prefetch(cluster.at(index + 4).pods().data());
    if (index + 2 < slots) {
      for (const PodPtr& pod : cluster.at(index + 2).pods()) __builtin_prefetch(pod.get());
    }
    const Node* node = cluster.node(index);
    if (node == nullptr || !wants(*node)) continue;
    for (const PodPtr& pod : node->pods()) take(pod->shape, index);
  }
}

}  // namespace proa::scheduler
