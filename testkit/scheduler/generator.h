#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

#include "base/random.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit {

// Features of a random cluster. Each has its own random stream: disabling one, or leaving out nodes
// or pods, does not change the rest of the cluster of a seed, so that a failing seed can be
// narrowed down.
enum class Feature : uint8_t {
  kNamespaces,         // more than "default", with labels
  kTopology,           // zones, regions and racks, some missing; some nodes without hostname
  kTaints,             // of all effects, and tolerations
  kUnschedulable,      // nodes
  kScarcity,           // nodes with next to nothing, or nothing at all
  kRequests,           // of cpu and memory
  kExtendedResources,  // and ephemeral storage, huge pages
  kInitContainers,     // and sidecars
  kOverhead,
  kPodLevelResources,
  kResize,            // of running pods, as their status says
  kHostPorts,         // with addresses and protocols; pods in the host's network
  kImages,            // on nodes, in all ways of naming them
  kDeclaredFeatures,  // of nodes, and pods that need them
  kNodeSelector,
  kNodeAffinity,  // required, with all operators, and by name
  kPreferredNodes,
  kPodAffinity,        // required
  kPodAntiAffinity,    // required
  kPreferredPods,      // affinity and anti-affinity
  kNamespacesOfTerms,  // terms about pods of other namespaces
  kLabelKeys,          // matchLabelKeys and mismatchLabelKeys
  kHardSpread,         // topology spread constraints
  kSoftSpread,
  kOwners,           // services and sets that select pods: what default spreading looks at
  kBoundClaims,      // with volumes that are somewhere, by affinity or by labels
  kWaitingClaims,    // that are bound when their pod has a node
  kBrokenClaims,     // missing, lost, being deleted, never to be bound
  kExclusiveClaims,  // ReadWriteOncePod
  kCsiLimits,        // and volumes that are attached without a pod
  kCsiCapacity,
  kInlineVolumes,  // CSI in the pod, ephemeral volumes with their claims
  kDisks,          // of the old kinds, which pods can't always share
  kTerminating,    // pods
  kFinished,       // pods that succeeded or failed
  kPriorities,
  kBudgets,    // PodDisruptionBudgets
  kNominated,  // pods that wait for others to leave a node
};
inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::kNominated) + 1;
using FeatureSet = std::bitset<kFeatureCount>;

inline FeatureSet all_features() { return FeatureSet().set(); }
// For messages and command lines: "kHostPorts" is "HostPorts".
std::string_view feature_name(Feature feature);

struct GeneratorOptions {
  size_t max_nodes = 50;
  size_t max_pods = 200;
  size_t max_pending = 5;
  FeatureSet features = all_features();  // enabled ones; each cluster has about half of them
};

// A cluster and one to five pending pods. Takes one number of `random`, which determines the
// cluster.
TestCluster generate_cluster(Random& random, const GeneratorOptions& options = {});

}  // namespace proa::testkit
