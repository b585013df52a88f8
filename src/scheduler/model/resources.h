#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/typed/values.h"
#include "kinds/core/resources/resources.h"
#include "scheduler/model/pod_object.h"

namespace proa::scheduler {

// Resource amounts. Most pods request only the first two.
struct Resources {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  // Huge pages and extended resources by name, ascending; none is zero.
  std::vector<std::pair<std::string, int64_t>> others = {};

  static Resources from(const kinds::pods::Amounts& amounts);

  // cpu in milli, everything else in whole units; zero if absent.
  int64_t amount(std::string_view name) const;
  // The same for resources other than cpu, memory and ephemeral storage.
  int64_t other(std::string_view name) const {
    for (const auto& [one, amount] : others) {
      if (one == name) return amount;
    }
    return 0;
  }
  Resources& operator+=(const Resources& other) { return add(other, 1); }
  Resources& operator-=(const Resources& other) { return add(other, -1); }
  bool operator==(const Resources&) const = default;

 private:
  Resources& add(const Resources& other, int64_t sign);
};

// Upstream's default requests for scoring: what a container without requests counts as, so that
// such pods spread over nodes.
inline constexpr int64_t kDefaultMilliCpu = 100;
inline constexpr int64_t kDefaultMemory = int64_t{200} * 1024 * 1024;

// The resources that a pod uses on a node.
struct PodRequests {
  Resources exact = {};
  // What scoring counts for a pod on a node: with the defaults above.
  int64_t scored_milli_cpu = 0;
  int64_t scored_memory = 0;
  // What NodeResourcesFit's score counts for the pod being scheduled: with the defaults, but
  // without pod-level resources, which upstream's NewFit does not pass to its scorer.
  Resources scored_newcomer = {};

  bool operator==(const PodRequests&) const = default;
};

// Sums containers, init containers, sidecars, overhead and pod-level resources; for a pod that is
// being resized, the maximum of allocated and requested.
PodRequests read_requests(const objects::PodSpec& spec, const objects::PodStatus& status);

// The amounts of a resource list. Names are views into its text. Skips values that are not
// quantities.
kinds::pods::Amounts read_amounts(api::RawJson list);

}  // namespace proa::scheduler
