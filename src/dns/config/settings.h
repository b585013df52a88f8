#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "base/time.h"

// The configuration of DNS on a node, as a value. Its defaults are what a cluster has that nobody
// configured: those of kubeadm's Corefile, with serve-stale and prefetch added. Zones and names are
// lower case without a dot at the end; "." is the root.

namespace proa::dns {

struct Upstream {
  IpAddress address = {};
  uint16_t port = 53;
  std::string link = {};  // of a link-local address: eth0 of fe80::1%eth0

  // "10.0.0.2:53", "[fd00::2]:53"
  std::string str() const;
  bool operator==(const Upstream&) const = default;
};

enum class UpstreamPolicy : uint8_t { kRandom, kRoundRobin, kSequential };

// Who is asked for the names of a zone.
struct ForwardZone {
  std::string zone = ".";
  std::vector<Upstream> upstreams = {};
  bool of_host = false;                  // asks the servers of the host's resolv.conf instead
  std::vector<std::string> except = {};  // zones below that are not forwarded
  UpstreamPolicy policy = UpstreamPolicy::kRandom;
  bool force_tcp = false;
  unsigned max_fails = 2;  // in a row, until an upstream counts as down; 0: never
  Duration health_check = std::chrono::milliseconds(500);  // between probes of one that is down
  size_t max_concurrent = 1000;                            // queries; more are refused

  bool operator==(const ForwardZone&) const = default;
};

// The longest time that answers are kept, however it is configured.
inline constexpr Duration kLongestTtl = std::chrono::hours(24);

struct CacheSettings {
  bool enabled = true;
  Duration max_ttl = std::chrono::seconds(30);
  Duration min_ttl = std::chrono::seconds(5);
  Duration max_negative_ttl = std::chrono::seconds(30);
  Duration min_negative_ttl = std::chrono::seconds(5);
  Duration failure_ttl = std::chrono::seconds(5);  // of SERVFAIL
  size_t bytes = size_t{4} << 20;                  // all that it may occupy
  Duration serve_stale = std::chrono::hours(1);    // after the end of the TTL; zero: never
  // A name that is asked for this often within the period is refreshed when less than the
  // percentage of its TTL is left. Zero: never.
  unsigned prefetch_amount = 2;
  Duration prefetch_period = std::chrono::minutes(1);
  unsigned prefetch_percentage = 10;

  bool operator==(const CacheSettings&) const = default;
};

struct HostEntry {
  IpAddress address = {};
  std::vector<std::string> names = {};

  bool operator==(const HostEntry&) const = default;
};

// A zone in which names without an entry fail, other than those in zones that are passed on.
struct HostsZone {
  std::string zone = ".";
  std::vector<std::string> fallthrough = {};

  bool operator==(const HostsZone&) const = default;
};

struct HostsSettings {
  std::vector<HostEntry> entries = {};
  uint32_t ttl = 3600;
  bool reverse = true;  // answers PTR, too
  // The longest one with a name counts. Names in none are asked of the next one.
  std::vector<HostsZone> zones = {};

  bool operator==(const HostsSettings&) const = default;
};

// A question for one name is answered as one for another; answers have the name that was asked for.
struct RewriteRule {
  enum class Match : uint8_t { kExact, kPrefix, kSuffix, kSubstring };
  Match match = Match::kExact;
  std::string from = {};
  std::string to = {};
  bool last = true;     // no further rule is tried after this one
  bool answer = false;  // names that answers lead to are rewritten back ("answer auto")

  bool operator==(const RewriteRule&) const = default;
};

enum class PodRecords : uint8_t { kDisabled, kInsecure, kVerified };

struct ClusterSettings {
  // The first is the domain of the cluster; the others are the reverse zones that it answers.
  std::vector<std::string> zones = {"cluster.local", "in-addr.arpa", "ip6.arpa"};
  uint32_t ttl = 30;
  PodRecords pods = PodRecords::kInsecure;
  // Zones whose names that do not exist are asked of the next one.
  std::vector<std::string> fallthrough = {"in-addr.arpa", "ip6.arpa"};

  bool operator==(const ClusterSettings&) const = default;
};

struct Settings {
  ClusterSettings cluster = {};
  // The longest zone that contains a name counts. Names in none are refused.
  std::vector<ForwardZone> forwards = {{.of_host = true}};
  CacheSettings cache = {};
  HostsSettings hosts = {};
  std::vector<RewriteRule> rewrites = {};
  bool log_queries = false;
  bool rotate = true;        // the addresses of headless Services
  bool detect_loops = true;  // of forwarding

  bool operator==(const Settings&) const = default;
};

// What is wrong with a configuration. With errors it is not used, and the one before stays; with
// warnings it is used without what they name.
struct Problems {
  std::vector<std::string> errors = {};
  std::vector<std::string> warnings = {};
};

}  // namespace proa::dns
