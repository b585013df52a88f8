// Corefiles: reading ends, problems name a place, and what was accepted is within limits.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dns/config/corefile_settings.h"
#include "dns/config/names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::dns;
  Settings settings;
  Problems problems;
  read_corefile({reinterpret_cast<const char*>(data), size}, settings, problems);
  for (const std::string& error : problems.errors) CHECK(!error.empty());
  if (!problems.errors.empty()) return 0;
  CHECK(!settings.cluster.zones.empty());
  for (const std::string& zone : settings.cluster.zones) CHECK(parse_zone(zone) == zone);
  for (const ForwardZone& zone : settings.forwards) {
    CHECK(parse_zone(zone.zone) == zone.zone);
    CHECK(zone.of_host || !zone.upstreams.empty());
    CHECK(zone.upstreams.size() <= 15);
    CHECK(zone.max_concurrent > 0 && zone.max_concurrent <= 100'000);
    CHECK(zone.health_check > proa::Duration(0));
    for (const Upstream& one : zone.upstreams) CHECK(*parse_upstream(one.str()) == one);
  }
  CHECK(settings.cache.bytes <= size_t{64} << 20);
  CHECK(settings.cache.max_ttl <= kLongestTtl && settings.cache.serve_stale <= kLongestTtl);
  for (const HostEntry& entry : settings.hosts.entries) {
    for (const std::string& name : entry.names) CHECK(parse_zone(name) == name);
  }
  for (const RewriteRule& rule : settings.rewrites) CHECK(!rule.from.empty() && !rule.to.empty());
  return 0;
}
