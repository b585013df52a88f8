#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "dns/config/settings.h"

namespace proa::dns {

// The servers of a resolv.conf: those behind a stub on loopback (systemd-resolved), where a file
// says which; the stub itself otherwise, which this machine can reach. Never one of `own`, the
// addresses that we answer at: that would be a loop. What cannot be used is a warning.
std::vector<Upstream> host_upstreams(Files& files, const std::string& path,
                                     std::span<const IpAddress> own, Problems& problems);

// The zones with those servers where they ask the host's.
std::vector<ForwardZone> with_host_upstreams(std::vector<ForwardZone> zones,
                                             std::span<const Upstream> host);

}  // namespace proa::dns
