#include "kubelet/node/agent/pressure.h"

namespace proa::kubelet {
namespace pressure {

// Upstream's evictionPressureTransitionPeriod.
constexpr Duration kTransition = std::chrono::minutes(5);

bool below(int64_t left, int64_t all, float least) {
  return all > 0 && static_cast<double>(left) < static_cast<double>(all) * double{least};
}

bool is_short(const std::optional<DiskSpace>& disk, float least) {
  if (!disk) return false;
  return below(disk->available, disk->capacity, least) ||
         below(disk->inodes_free, disk->inodes, kLeastInodes);
}

bool remember(std::optional<Steady>& last, bool now, Steady at) {
  if (now) last = at;
  return last.has_value() && at - *last < kTransition;
}

}  // namespace pressure

Pressures pressures_of(const Measured& measured) {
  return {.memory = measured.available_memory && *measured.available_memory < kLeastMemory,
          .disk = pressure::is_short(measured.node_disk, kLeastNodeDisk) ||
                  pressure::is_short(measured.image_disk, kLeastImageDisk)};
}

Pressures PressureMemory::update(const Pressures& now, Steady at) {
  return {.memory = pressure::remember(memory_, now.memory, at),
          .disk = pressure::remember(disk_, now.disk, at),
          .processes = pressure::remember(processes_, now.processes, at)};
}

}  // namespace proa::kubelet
