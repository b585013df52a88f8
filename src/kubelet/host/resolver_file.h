#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"

namespace proa::kubelet {

// Of core validation: what C libraries are sure to read from a resolv.conf.
inline constexpr size_t kMaxNameservers = 3;
inline constexpr size_t kMaxSearchPaths = 32;
inline constexpr size_t kMaxSearchLine = 2048;
inline constexpr size_t kMaxSearchPath = 253;  // glibc 2.28 aborts at longer ones

// The content of the node's resolv.conf for pods; empty if it cannot be read. Where it names a stub
// on loopback only (systemd-resolved), which is another machine's loopback for a pod, it is the
// file that lists the servers behind the stub. Upstream leaves that choice to kubeadm.
std::string read_resolver_file(Files& files, const std::string& path);

// Why pods cannot have all of that file: the message of upstream's Event CheckLimitsForResolvConf.
// nullopt if nothing is wrong with it. `cluster_domain`: pods have three search paths more with it.
std::optional<std::string> resolver_file_problem(Files& files, const std::string& path,
                                                 std::string_view cluster_domain);

}  // namespace proa::kubelet
