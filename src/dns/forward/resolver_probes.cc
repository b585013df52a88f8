// The part of the Resolver that asks upstreams on its own account: whether they are up, and whether
// they ask us.
#include <algorithm>

#include "base/log.h"
#include "dns/forward/resolver.h"

namespace proa::dns {
namespace resolver_probes {

const Log kLog{"dns"};

}  // namespace resolver_probes

void Resolver::configure(const std::vector<ForwardZone>& zones, bool detect_loops) {
  std::vector<std::shared_ptr<UpstreamSet>> made;
  for (const ForwardZone& zone : zones) {
    const auto known = std::find_if(zones_.begin(), zones_.end(),
                                    [&](const auto& one) { return one->zone() == zone; });
    if (known != zones_.end()) {
      made.push_back(*known);
      continue;
    }
    made.push_back(std::make_shared<UpstreamSet>(zone));
    for (UpstreamState& state : made.back()->all()) state.tag = next_tag_++;
  }
  for (const auto& zone : zones_) {
    if (std::find(made.begin(), made.end(), zone) != made.end()) continue;
    for (const UpstreamState& state : zone->all()) context_.probes.forget(state.tag);
  }
  std::stable_sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return a->name().labels() > b->name().labels();
  });
  zones_ = std::move(made);
  detect_loops_ = detect_loops;
  for (const auto& [id, flight] : flights_) flight->outdated = true;
  context_.cache.clear();
  probes_due_ = context_.clock.steady();
}

void Resolver::probe_zones(Steady now) {
  Steady next = Steady::max();
  for (const auto& zone : zones_) {
    for (size_t i = 0; i < zone->all().size(); ++i) {
      UpstreamState& state = zone->at(i);
      if (state.probe_due <= now && !state.probing) probe_health(zone, i);
      if (detect_loops_ && state.loop_probe_due <= now && !state.loop_probing) probe_loop(zone, i);
      if (!state.probing) next = std::min(next, state.probe_due);
      if (detect_loops_ && !state.loop_probing) next = std::min(next, state.loop_probe_due);
    }
  }
  probes_due_ = next;
}

void Resolver::probe_health(const std::shared_ptr<UpstreamSet>& zone, size_t index) {
  Query query;
  query.question.type = Type::kNs;  // of the root: what every resolver knows
  zone->at(index).probing = true;
  Flight& flight = begin(query, zone, Flight::Purpose::kHealthProbe);
  flight.order = {static_cast<uint8_t>(index)};
  attempt(flight);
}

void Resolver::probe_loop(const std::shared_ptr<UpstreamSet>& zone, size_t index) {
  UpstreamState& state = zone->at(index);
  Query query;
  query.question.type = LoopProbes::kType;
  query.question.name = context_.probes.begin(zone->name(), state.tag);
  // No name fits in front of a very long zone.
  if (query.question.name.view().is_root()) {
    state.loop_probe_due = Steady::max();
    return;
  }
  state.loop_probing = true;
  Flight& flight = begin(query, zone, Flight::Purpose::kLoopProbe);
  flight.order = {static_cast<uint8_t>(index)};
  attempt(flight);
}

void Resolver::finish_probe(Flight& flight, bool answered) {
  const std::shared_ptr<UpstreamSet> zone = flight.zone;
  const Flight::Purpose purpose = flight.purpose;
  const size_t index = flight.order.front();
  remove(flight);
  UpstreamState& state = zone->at(index);
  const Steady now = context_.clock.steady();
  if (purpose == Flight::Purpose::kHealthProbe) {
    state.probing = false;
    if (answered) {
      zone->succeeded(index);
      resolver_probes::kLog.info("upstream resolver answers again",
                                 {{"upstream", state.upstream.str()}, {"zone", zone->zone().zone}});
    } else {
      state.probe_due = now + zone->zone().health_check;
      context_.metrics.probe_failed(state.upstream);
    }
    probes_due_ = std::min(probes_due_, state.probe_due);
    return;
  }
  state.loop_probing = false;
  const bool free = answered && !context_.probes.came_back(state.tag);
  if (free && state.looping) {
    state.looping = false;
    resolver_probes::kLog.info("upstream resolver is not in a loop any more",
                               {{"upstream", state.upstream.str()}, {"zone", zone->zone().zone}});
  }
  // Without an answer nothing is known.
  state.loop_probe_due = now + (free ? context_.times.loop_period : context_.times.loop_recheck);
  probes_due_ = std::min(probes_due_, state.loop_probe_due);
}

void Resolver::found_loop(uint64_t tag) {
  for (const auto& zone : zones_) {
    for (UpstreamState& state : zone->all()) {
      if (state.tag != tag || state.looping) continue;
      state.looping = true;
      resolver_probes::kLog.error(
          "upstream resolver asks the cluster's DNS and is not asked any more: queries would loop",
          {{"upstream", state.upstream.str()}, {"zone", zone->zone().zone}});
      if (context_.looped) context_.looped(zone->zone().zone, state.upstream);
    }
  }
}

}  // namespace proa::dns
