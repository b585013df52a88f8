#include "kubelet/admit/sysctls.h"

#include <algorithm>
#include <array>

namespace proa::kubelet {
namespace sysctls {

// Upstream's list. Kernels since 4.15 have all of them in namespaces, and we need a newer one
// anyway.
constexpr std::array<std::string_view, 12> kSafe = {"kernel.shm_rmid_forced",
                                                    "net.ipv4.ip_local_port_range",
                                                    "net.ipv4.tcp_syncookies",
                                                    "net.ipv4.ping_group_range",
                                                    "net.ipv4.ip_unprivileged_port_start",
                                                    "net.ipv4.ip_local_reserved_ports",
                                                    "net.ipv4.tcp_keepalive_time",
                                                    "net.ipv4.tcp_fin_timeout",
                                                    "net.ipv4.tcp_keepalive_intvl",
                                                    "net.ipv4.tcp_keepalive_probes",
                                                    "net.ipv4.tcp_rmem",
                                                    "net.ipv4.tcp_wmem"};

// "net/ipv4/tcp_rmem" is written with dots: where a slash comes first, they change places.
std::string with_dots(std::string_view name) {
  std::string text(name);
  const size_t first = text.find_first_of("./");
  if (first == std::string::npos || text[first] == '.') return text;
  for (char& letter : text) letter = letter == '/' ? '.' : letter == '.' ? '/' : letter;
  return text;
}

}  // namespace sysctls

std::string find_forbidden_sysctl(api::View spec) {
  for (const api::View sysctl : spec["securityContext"]["sysctls"].items()) {
    const std::string name = sysctls::with_dots(sysctl["name"].text());
    const std::string quoted = "forbidden sysctl: \"" + name + "\"";
    if (std::find(sysctls::kSafe.begin(), sysctls::kSafe.end(), name) == sysctls::kSafe.end()) {
      return quoted + " not allowlisted";
    }
    const bool of_network = name.starts_with("net.");
    if (of_network && spec["hostNetwork"].flag())
      return quoted + " not allowed with host Net enabled";
    if (!of_network && spec["hostIPC"].flag()) return quoted + " not allowed with host IPC enabled";
  }
  return {};
}

}  // namespace proa::kubelet
