#include "dns/forward/upstream/loop_probes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace proa::dns {

Name LoopProbes::begin(NameView zone, uint64_t tag) {
  Name name;
  // Two labels of 16 digits fit in front of any zone that was configured, except for very long
  // ones.
  CHECK(name.append(fmt::format("{:016x}", random_.next())));
  CHECK(name.append(fmt::format("{:016x}", random_.next())));
  if (!name.append(zone)) return Name();
  const MutexLock lock(mutex_);
  std::erase_if(probes_, [&](const Probe& one) { return one.tag == tag; });
  probes_.push_back({.tag = tag, .name = name});
  return name;
}

std::optional<uint64_t> LoopProbes::saw(const Question& question) {
  if (question.type != kType) return std::nullopt;
  const MutexLock lock(mutex_);
  for (Probe& one : probes_) {
    if (!(one.name == question.name)) continue;
    one.seen = true;
    return one.tag;
  }
  return std::nullopt;
}

bool LoopProbes::came_back(uint64_t tag) const {
  const MutexLock lock(mutex_);
  return std::any_of(probes_.begin(), probes_.end(),
                     [&](const Probe& one) { return one.tag == tag && one.seen; });
}

void LoopProbes::forget(uint64_t tag) {
  const MutexLock lock(mutex_);
  std::erase_if(probes_, [&](const Probe& one) { return one.tag == tag; });
}

}  // namespace proa::dns
