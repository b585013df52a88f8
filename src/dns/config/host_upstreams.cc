#include "dns/config/host_upstreams.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/resolv_conf.h"
#include "dns/config/names.h"

namespace proa::dns {
namespace host_upstreams_file {

constexpr size_t kMaxBytes = size_t{1} << 20;
// As many as CoreDNS takes.
constexpr size_t kMaxUpstreams = 15;

}  // namespace host_upstreams_file

std::vector<Upstream> host_upstreams(Files& files, const std::string& path,
                                     std::span<const IpAddress> own, Problems& problems) {
  using namespace host_upstreams_file;
  const Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text.ok()) {
    problems.warnings.push_back(
        fmt::format("reading the host's resolvers failed: {}", text.status().message()));
    return {};
  }
  const Result<std::string> systemd = files.read_file(std::string(kSystemdResolvConf), kMaxBytes);
  const ResolvConf conf = read_resolv_conf(
      without_loopback_stub(*text, systemd.ok() ? std::string_view(*systemd) : std::string_view()));
  std::vector<Upstream> found;
  for (const std::string& server : conf.servers) {
    const Result<Upstream> upstream = parse_upstream(server);
    if (!upstream.ok()) {
      problems.warnings.push_back(fmt::format("{}: {}", path, upstream.status().message()));
      continue;
    }
    if (std::find(own.begin(), own.end(), upstream->address) != own.end()) {
      problems.warnings.push_back(fmt::format(
          "{}: nameserver {} is the cluster's own DNS address and is not asked", path, server));
      continue;
    }
    if (std::find(found.begin(), found.end(), *upstream) != found.end()) continue;
    if (found.size() < kMaxUpstreams) found.push_back(*upstream);
  }
  return found;
}

std::vector<ForwardZone> with_host_upstreams(std::vector<ForwardZone> zones,
                                             std::span<const Upstream> host) {
  for (ForwardZone& zone : zones) {
    if (!zone.of_host) continue;
    zone.of_host = false;
    zone.upstreams.insert(zone.upstreams.end(), host.begin(), host.end());
  }
  return zones;
}

}  // namespace proa::dns
