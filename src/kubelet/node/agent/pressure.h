#pragma once

#include <optional>

#include "base/time.h"
#include "kubelet/host/machine.h"

namespace proa::kubelet {

// The pressure conditions of the Node.
struct Pressures {
  bool memory = false;
  bool disk = false;
  bool processes = false;  // never set: upstream's defaults have no threshold for it

  bool operator==(const Pressures&) const = default;
};

// The eviction thresholds: upstream's defaults of evictionHard.
inline constexpr int64_t kLeastMemory = 100 * 1024 * 1024;
inline constexpr float kLeastNodeDisk = 0.1F;
inline constexpr float kLeastImageDisk = 0.15F;
inline constexpr float kLeastInodes = 0.05F;

// Measurements. Absent ones do not count.
struct Measured {
  std::optional<int64_t> available_memory = {};
  std::optional<DiskSpace> node_disk = {};   // where volumes and logs of pods lie
  std::optional<DiskSpace> image_disk = {};  // the filesystem of images
};

// The pressures right now.
Pressures pressures_of(const Measured& measured);

// Keeps pressures for a while: a condition that toggles with every measurement would make the
// scheduler place pods that are evicted again.
class PressureMemory {
 public:
  // The pressures now or within the last five minutes.
  Pressures update(const Pressures& now, Steady at);

 private:
  std::optional<Steady> memory_;
  std::optional<Steady> disk_;
  std::optional<Steady> processes_;
};

}  // namespace proa::kubelet
