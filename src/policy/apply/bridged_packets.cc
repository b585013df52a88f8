#include "policy/apply/bridged_packets.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/files.h"
#include "base/process/spawn.h"

namespace proa::policy {
namespace bridged_packets {

constexpr const char* kIpv4 = "/proc/sys/net/bridge/bridge-nf-call-iptables";
constexpr const char* kIpv6 = "/proc/sys/net/bridge/bridge-nf-call-ip6tables";
constexpr Duration kPatience = std::chrono::seconds(10);

Result<void> switch_on(const char* path) {
  const FileDescriptor file(::open(path, O_RDWR | O_CLOEXEC));
  if (!file.valid()) return errno_status(std::string("opening ") + path, errno);
  char before = '0';
  if (::pread(file.get(), &before, 1, 0) == 1 && before == '1') return {};
  if (::pwrite(file.get(), "1", 1, 0) < 0) {
    return errno_status(std::string("writing ") + path, errno);
  }
  return {};
}

}  // namespace bridged_packets

Result<void> filter_bridged_packets(const Clock& clock) {
  using namespace bridged_packets;  // NOLINT: this unit's own
  if (::access(kIpv4, F_OK) != 0) {
    if (const auto program = find_program("modprobe")) {
      // Whether that worked is seen below.
      static_cast<void>(run_to_end({*program, "br_netfilter"}, {}, clock, kPatience));
    }
  }
  if (::access(kIpv4, F_OK) != 0) {
    return Status(Reason::kServiceUnavailable,
                  "the kernel has no module br_netfilter: NetworkPolicies do not apply between "
                  "pods of this node; load it, or build the kernel with CONFIG_BRIDGE_NETFILTER");
  }
  TRY(switch_on(kIpv4));
  // A kernel without IPv6 has no such setting.
  if (::access(kIpv6, F_OK) == 0) TRY(switch_on(kIpv6));
  return {};
}

}  // namespace proa::policy
