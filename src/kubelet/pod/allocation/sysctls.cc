#include "kubelet/pod/allocation/sysctls.h"

#include <algorithm>

#include "kinds/core/pods/spec/safe_sysctls.h"

namespace proa::kubelet {
namespace sysctls {

// Converts "net/ipv4/tcp_rmem" to dots: if a slash comes first, slashes and dots are swapped.
std::string with_dots(std::string_view name) {
  std::string text(name);
  const size_t first = text.find_first_of("./");
  if (first == std::string::npos || text[first] == '.') return text;
  for (char& letter : text) letter = letter == '/' ? '.' : letter == '.' ? '/' : letter;
  return text;
}

}  // namespace sysctls

std::string find_forbidden_sysctl(const objects::PodSpec& spec) {
  using kinds::pods::kSafeSysctls;
  for (const objects::Sysctl& sysctl : spec.security.sysctls) {
    const std::string name = sysctls::with_dots(sysctl.name);
    const std::string quoted = "forbidden sysctl: \"" + name + "\"";
    if (std::find(kSafeSysctls.begin(), kSafeSysctls.end(), name) == kSafeSysctls.end()) {
      return quoted + " not allowlisted";
    }
    const bool of_network = name.starts_with("net.");
    if (of_network && spec.host_network) return quoted + " not allowed with host Net enabled";
    if (!of_network && spec.host_ipc) return quoted + " not allowed with host IPC enabled";
  }
  return {};
}

}  // namespace proa::kubelet
