#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dns/config/settings.h"

namespace proa::dns {

inline constexpr std::string_view kConfigMapNamespace = "kube-system";
inline constexpr std::string_view kConfigMapName = "proa-dns";

// Reads the data of the ConfigMap proa-dns over the defaults of a cluster with that domain. All
// keys are optional:
//
//   upstreams    "10.0.0.2 10.0.0.3:5353", or "host": the servers of the host's resolv.conf
//   stubDomains  YAML: "{corp.example: [10.1.0.1, 10.1.0.2]}", as kube-dns has it
//   hosts        lines of an /etc/hosts
//   rewrites     lines of a Corefile: "name suffix .a.example .b.example"
//   cache        YAML with some of: enabled, maxTTL, minTTL, maxNegativeTTL, failureTTL, size (in
//                bytes, or 4Mi), serveStale, prefetch. TTLs in seconds or as "1m30s"
//   ttl          of names of the cluster, in seconds
//   pods         disabled, insecure or verified: whether a-b-c-d.NAMESPACE.pod has an address
//   logQueries   "true"
//   Corefile     of CoreDNS; what other keys say counts before it
//
// With errors in `problems` the result must not be used.
Settings read_config_map(const std::map<std::string, std::string, std::less<>>& data,
                         std::string_view domain, Problems& problems);

}  // namespace proa::dns
