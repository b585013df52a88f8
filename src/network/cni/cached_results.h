#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "netlink/route/types.h"

namespace proa::network {

// Where CNI's library keeps what plugins answered, for runtimes of all networks of a machine
// (libcni.CacheDir; containerd does not change it).
constexpr const char* kCniResults = "/var/lib/cni/results";

// What plugins told of a pod when they gave it its network.
struct AttachedPod {
  std::set<std::string> links = {};  // of the host that were made for it: its port is among them
  netlink::MacAddress mac = {};      // of the pod's end
  std::vector<IpAddress> addresses = {};
  std::set<IpAddress> broadcasts = {};  // what its kernel takes for all of its network
  bool operator==(const AttachedPod&) const = default;
};

// Reads one file. Nullopt if it is not complete, or of another network.
std::optional<AttachedPod> read_cached_result(std::string_view text, std::string_view network);

// The pods of a network that a runtime has attached. Used by one thread at a time.
class CachedResults {
 public:
  // REQUIRES: `files` outlives it.
  CachedResults(Files& files, std::string folder, std::string network)
      : files_(files), folder_(std::move(folder)), network_(std::move(network)) {}

  // Reads files that are new; each once, since a name is that of one sandbox. What cannot be read
  // is tried the next time. A pod stays as long as its file, or a link of it among `links`.
  Result<void> refresh(const std::set<std::string>& links);
  // By file.
  const std::map<std::string, AttachedPod>& pods() const { return pods_; }

 private:
  Files& files_;
  const std::string folder_;
  const std::string network_;
  std::map<std::string, AttachedPod> pods_;
};

}  // namespace proa::network
