#pragma once

#include <optional>

#include "base/time.h"
#include "kubelet/host/machine.h"

namespace proa::kubelet {

// Whether this node lacks something; what the conditions of its Node say.
struct Pressures {
  bool memory = false;
  bool disk = false;
  bool processes = false;  // never, by upstream's defaults: no bound is set

  bool operator==(const Pressures&) const = default;
};

// Below these a node evicts: upstream's defaults of evictionHard.
inline constexpr int64_t kLeastMemory = 100 * 1024 * 1024;
inline constexpr float kLeastNodeDisk = 0.1F;
inline constexpr float kLeastImageDisk = 0.15F;
inline constexpr float kLeastInodes = 0.05F;

// What was measured. What could not be measured says nothing.
struct Measured {
  std::optional<int64_t> available_memory = {};
  std::optional<DiskSpace> node_disk = {};   // where volumes and logs of pods lie
  std::optional<DiskSpace> image_disk = {};  // where the runtime keeps images
};

// What is below its bound now.
Pressures pressures_of(const Measured& measured);

// Remembers for a while what was short: a condition that comes and goes with every look would make
// the scheduler bring pods that are evicted again.
class PressureMemory {
 public:
  // What is short now, or was within the last five minutes.
  Pressures update(const Pressures& now, Steady at);

 private:
  std::optional<Steady> memory_;
  std::optional<Steady> disk_;
  std::optional<Steady> processes_;
};

}  // namespace proa::kubelet
