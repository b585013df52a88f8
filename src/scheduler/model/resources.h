#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/view.h"
#include "kinds/core/resources/resources.h"

namespace proa::scheduler {

// Amounts as the scheduler counts them. Nearly every pod asks for nothing but the first two.
struct Resources {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  // Huge pages and devices, by name, ascending; none of them zero.
  std::vector<std::pair<std::string, int64_t>> others = {};

  static Resources from(const kinds::pods::Amounts& amounts);

  // cpu in milli, anything else in whole units; zero for what is not there.
  int64_t amount(std::string_view name) const;
  // The same, of what is neither cpu nor memory nor ephemeral storage.
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

// What scoring takes a container for that asks for nothing, so that many such pods don't all land
// on one node: upstream's numbers.
inline constexpr int64_t kDefaultMilliCpu = 100;
inline constexpr int64_t kDefaultMemory = int64_t{200} * 1024 * 1024;

// What a pod takes of a node.
struct PodRequests {
  Resources exact = {};
  // What scoring counts for it once it is on a node: with the defaults above.
  int64_t scored_milli_cpu = 0;
  int64_t scored_memory = 0;
  // What NodeResourcesFit's score takes it for while it looks for one: with the defaults, but
  // without what is said of the pod as a whole, which upstream's NewFit does not tell its scorer.
  Resources scored_newcomer = {};

  bool operator==(const PodRequests&) const = default;
};

// Containers side by side, init containers before them, sidecars, overhead, resources of the whole
// pod; of a pod that is being resized, what it has or is to have, whichever is more.
PodRequests read_requests(api::View spec, api::View status);

}  // namespace proa::scheduler
