#include "kubelet/pod/allocation/sysctls.h"

#include <algorithm>

#include "kinds/core/pods/spec/safe_sysctls.h"

namespace proa::kubelet {
namespace sysctls {

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
  using kinds::pods::kSafeSysctls;
  for (const api::View sysctl : spec["securityContext"]["sysctls"].items()) {
    const std::string name = sysctls::with_dots(sysctl["name"].text());
    const std::string quoted = "forbidden sysctl: \"" + name + "\"";
    if (std::find(kSafeSysctls.begin(), kSafeSysctls.end(), name) == kSafeSysctls.end()) {
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
