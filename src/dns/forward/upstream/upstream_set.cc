#include "dns/forward/upstream/upstream_set.h"

#include <algorithm>
#include <numeric>

namespace proa::dns {

UpstreamSet::UpstreamSet(const ForwardZone& zone) : zone_(zone) {
  // Zones were checked when they were read.
  name_ = Name::parse(zone.zone).value_or(Name());
  for (const std::string& one : zone.except) {
    if (const auto name = Name::parse(one)) except_.push_back(*name);
  }
  for (const Upstream& upstream : zone.upstreams) all_.push_back({.upstream = upstream});
}

bool UpstreamSet::excepts(NameView name) const {
  return std::any_of(except_.begin(), except_.end(),
                     [&](const Name& one) { return name.within(one); });
}

std::vector<uint8_t> UpstreamSet::order(Random& random) {
  std::vector<uint8_t> order(all_.size());
  std::iota(order.begin(), order.end(), uint8_t{0});
  if (zone_.policy == UpstreamPolicy::kRandom) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  } else if (zone_.policy == UpstreamPolicy::kRoundRobin && !order.empty()) {
    std::rotate(order.begin(), order.begin() + static_cast<long>(turn_++ % order.size()),
                order.end());
  }
  std::erase_if(order, [this](uint8_t one) { return all_[one].looping; });
  std::stable_partition(order.begin(), order.end(),
                        [this](uint8_t one) { return !all_[one].down; });
  return order;
}

bool UpstreamSet::all_down() const {
  return std::all_of(all_.begin(), all_.end(),
                     [](const UpstreamState& one) { return one.down || one.looping; });
}

void UpstreamSet::succeeded(size_t index) {
  UpstreamState& state = all_[index];
  state.fails = 0;
  state.down = false;
  state.probe_due = Steady::max();
}

bool UpstreamSet::failed(size_t index, Steady now) {
  UpstreamState& state = all_[index];
  ++state.fails;
  if (zone_.max_fails == 0 || state.fails < zone_.max_fails) return false;
  const bool news = !state.down;
  state.down = true;
  state.probe_due = now + zone_.health_check;
  return news;
}

}  // namespace proa::dns
