#include "controllers/node/zones.h"

#include <algorithm>

#include "base/check.h"

namespace proa::controllers::nodes {

ZoneState zone_state(size_t ready, size_t not_ready, const EvictionRates& rates) {
  if (ready == 0) return ZoneState::kFullDisruption;
  const float share = static_cast<float>(not_ready) / static_cast<float>(ready + not_ready);
  // One or two unready nodes are not a disruption, even in a small zone.
  if (not_ready > 2 && share >= rates.unhealthy_share) return ZoneState::kPartialDisruption;
  return ZoneState::kNormal;
}

double eviction_rate(ZoneState state, size_t nodes, const EvictionRates& rates) {
  if (state != ZoneState::kPartialDisruption) return rates.normal;
  return nodes > rates.large_zone ? rates.secondary : 0;
}

Duration Zones::Zone::interval() const {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / rate));
}

void Zones::enter(const NodeState& node_state, Steady now) {
  const auto [found, is_new] = zones_.try_emplace(node_state.zone);
  Zone& zone = found->second;
  if (is_new) {
    zone.rate = rates_.normal;
    zone.next = now;
  }
  ++zone.nodes;
  if (node_state.counts) ++(node_state.ready ? zone.ready : zone.not_ready);
}

void Zones::leave(const NodeState& node_state) {
  const auto found = zones_.find(node_state.zone);
  CHECK(found != zones_.end());
  Zone& zone = found->second;
  if (node_state.counts) --(node_state.ready ? zone.ready : zone.not_ready);
  if (--zone.nodes == 0) zones_.erase(found);
}

void Zones::begin(std::map<std::string, NodeState> nodes, Steady now) {
  nodes_ = std::move(nodes);
  for (const auto& [node, node_state] : nodes_) enter(node_state, now);
  reassess(now);
  for (auto& [name, zone] : zones_) zone.next = now;  // no node was evicted yet
}

Zones::Shift Zones::set(const std::string& node, const NodeState& node_state, Steady now) {
  const auto [found, is_new] = nodes_.try_emplace(node, node_state);
  if (!is_new && found->second == node_state) return {};
  Shift shift;
  // Added before it leaves the old zone, so that a zone with one node keeps its state.
  enter(node_state, now);
  if (!is_new) {
    const NodeState before = std::exchange(found->second, node_state);
    if (before.zone != node_state.zone) shift = stop_waiting(zones_.at(before.zone), node);
    leave(before);
  }
  Shift more = reassess(now);
  more.nodes.insert(more.nodes.end(), shift.nodes.begin(), shift.nodes.end());
  return more;
}

Zones::Shift Zones::remove(const std::string& node, Steady now) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return {};
  const Shift shift = give_back(node);
  leave(found->second);
  nodes_.erase(found);
  Shift more = reassess(now);
  more.nodes.insert(more.nodes.end(), shift.nodes.begin(), shift.nodes.end());
  return more;
}

Zones::Shift Zones::reassess(Steady now) {
  bool some = false;
  bool all_down = true;
  std::map<const Zone*, ZoneState> states;
  for (const auto& [name, zone] : zones_) {
    if (zone.counted() == 0) continue;
    some = true;
    const ZoneState state = zone_state(zone.ready, zone.not_ready, rates_);
    all_down = all_down && state == ZoneState::kFullDisruption;
    states[&zone] = state;
  }
  all_down = all_down && some;
  Shift shift;
  shift.everybody = std::exchange(all_down_, all_down) != all_down;
  for (auto& [name, zone] : zones_) {
    const auto state = states.find(&zone);
    if (state != states.end()) zone.state = state->second;
    change_rate(zone, all_down ? 0 : eviction_rate(zone.state, zone.counted(), rates_), now, shift);
  }
  return shift;
}

void Zones::change_rate(Zone& zone, double rate, Steady now, Shift& shift) {
  if (zone.rate == rate) return;
  // Waiting nodes keep waiting, at the new rate (upstream's SwapLimiter).
  const bool must_wait = zone.rate <= 0 || now < zone.next;
  zone.rate = rate;
  zone.next = must_wait && rate > 0 ? now + zone.interval() : now;
  for (const Waiting& waiting : zone.waiting) shift.nodes.push_back(waiting.node);
}

std::optional<Duration> Zones::wait_for_turn(const std::string& node, Steady now) {
  const auto node_state = nodes_.find(node);
  if (node_state == nodes_.end()) return std::nullopt;
  Zone& zone = zones_.at(node_state->second.zone);
  const auto is_node = [&](const Waiting& waiting) { return waiting.node == node; };
  auto found = std::find_if(zone.waiting.begin(), zone.waiting.end(), is_node);
  if (found == zone.waiting.end()) found = zone.waiting.insert(found, {.node = node});
  if (zone.rate <= 0) return std::nullopt;
  if (found->has_turn) return Duration::zero();
  const auto before_it = std::count_if(zone.waiting.begin(), found,
                                       [](const Waiting& waiting) { return !waiting.has_turn; });
  const Steady due = std::max(zone.next, now) + before_it * zone.interval();
  if (due > now) return due - now;
  found->has_turn = true;
  zone.next = now + zone.interval();
  return Duration::zero();
}

Zones::Shift Zones::stop_waiting(Zone& zone, const std::string& node) {
  const auto is_node = [&](const Waiting& waiting) { return waiting.node == node; };
  const auto found = std::find_if(zone.waiting.begin(), zone.waiting.end(), is_node);
  if (found == zone.waiting.end()) return {};
  const bool had_turn = found->has_turn;
  const auto next = zone.waiting.erase(found);
  Shift shift;
  // Later nodes move up.
  if (had_turn) return shift;
  for (auto one = next; one != zone.waiting.end(); ++one) shift.nodes.push_back(one->node);
  return shift;
}

Zones::Shift Zones::give_back(const std::string& node) {
  const auto node_state = nodes_.find(node);
  if (node_state == nodes_.end()) return {};
  return stop_waiting(zones_.at(node_state->second.zone), node);
}

}  // namespace proa::controllers::nodes
