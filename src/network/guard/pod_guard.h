#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/limits/log_limit.h"
#include "base/net/ip_address.h"
#include "base/random.h"
#include "base/threads/mutex.h"
#include "base/watch/folder_changes.h"
#include "netlink/nft/kept_table.h"
#include "netlink/nft/monitor.h"
#include "netlink/route/routing.h"
#include "netlink/socket.h"
#include "network/cni/cached_results.h"
#include "network/guard/guard_table.h"
#include "network/model/options.h"

namespace proa::network {

// Keeps the rules of guard_table.h in the kernel, for the pods that are attached to the bridge: a
// pod's before its containers start (prepare()), all of them from the start of the process. A pod
// that nobody announces has its rules a moment after it is attached. What others delete comes back;
// a port that is gone loses its rules; without ports there is no table.
// It ends without removing rules: pods keep running.
//
// Owned by the command that runs the node. Its thread, and what prepare() does, are in the network
// namespace of the thread that calls start().
class PodGuard {
 public:
  struct Context {
    Files& files;
    Clock& clock;
    Random& random;
    NetworkOptions options = {};  // the bridge; its name is that of the network
    std::string results = kCniResults;
  };
  // REQUIRES: everything outlives it.
  explicit PodGuard(Context context);
  // Stops it.
  ~PodGuard();
  PodGuard(const PodGuard&) = delete;
  PodGuard& operator=(const PodGuard&) = delete;

  // Fails if the kernel cannot have the rules.
  Result<void> start() EXCLUDES(mutex_);
  void stop();

  // A pod got these addresses, and its containers start next: its rules are in the kernel when this
  // returns. Where nothing tells by which port it sends, that is logged, and it has none. From any
  // thread. REQUIRES: started.
  Result<void> prepare(const std::vector<IpAddress>& addresses) EXCLUDES(mutex_);

 private:
  // What is used to look and to write.
  struct Tools {
    netlink::Socket socket;
    netlink::Routing routing;
  };

  void run(Steady again, const std::stop_token& stop) EXCLUDES(mutex_);
  bool wait(Steady until, const std::stop_token& stop) EXCLUDES(mutex_);
  void settle(const std::stop_token& stop) EXCLUDES(mutex_);
  bool concerns(const netlink::Message& message) const;
  Result<void> refresh() REQUIRES(mutex_);

  const Context context_;
  LogLimit log_limit_;  // pods and failures may come as fast as others please
  // Of the thread.
  std::optional<netlink::Socket> listener_;
  std::optional<netlink::nft::Monitor> monitor_;
  std::optional<FolderChanges> files_;

  Mutex mutex_;
  std::optional<Tools> tools_ GUARDED_BY(mutex_);
  CachedResults results_ GUARDED_BY(mutex_);
  netlink::nft::KeptTable kept_ GUARDED_BY(mutex_);
  std::vector<PodPort> pods_ GUARDED_BY(mutex_);  // with rules
  std::jthread thread_;
};

// Pure: which port is whose.
std::vector<PodPort> pod_ports(const std::set<std::string>& ports,
                               const std::map<std::string, AttachedPod>& pods);

// Removes the rules from this network namespace. A kernel that cannot have them has none.
Result<void> remove_guard(const NetworkOptions& options, Clock& clock);

}  // namespace proa::network
