#include "kubelet/node/agent/node_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/strings.h"

namespace proa::kubelet {
namespace node_addresses {

struct Free {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
};

// Of a usable IPv4 address; else empty.
std::string text_of(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || entry.ifa_addr->sa_family != AF_INET) return {};
  if ((entry.ifa_flags & IFF_UP) == 0 || (entry.ifa_flags & IFF_LOOPBACK) != 0) return {};
  const auto* address = reinterpret_cast<const sockaddr_in*>(entry.ifa_addr);
  const uint32_t number = ntohl(address->sin_addr.s_addr);
  if ((number >> 16) == 0xA9FE) return {};  // link-local, 169.254.0.0/16
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
}

}  // namespace node_addresses

std::string default_interface(std::string_view routes) {
  for (const std::string_view line : split(routes, '\n')) {
    std::vector<std::string_view> fields;
    for (const std::string_view field : split(line, '\t')) fields.push_back(trim(field));
    // Interface, destination, gateway, flags, three more, mask.
    if (fields.size() >= 8 && fields[1] == "00000000" && fields[7] == "00000000") {
      return std::string(fields[0]);
    }
  }
  return {};
}

Result<std::vector<std::string>> find_addresses(Files& files, const std::string& root,
                                                const std::vector<std::string>& before) {
  const Result<std::string> routes = files.read_file(root + "/proc/net/route", 1024 * 1024);
  const std::string wanted = routes ? default_interface(*routes) : std::string();
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return errno_status("reading addresses", errno);
  const std::unique_ptr<ifaddrs, node_addresses::Free> owned(list);
  std::string any;
  std::string best;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    std::string address = node_addresses::text_of(*entry);
    if (address.empty()) continue;
    if (std::ranges::find(before, address) != before.end()) return before;
    if (best.empty() && wanted == entry->ifa_name) best = address;
    if (any.empty()) any = std::move(address);
  }
  if (!best.empty()) return std::vector<std::string>{std::move(best)};
  if (!before.empty()) return before;
  if (any.empty()) return Status(Reason::kNotFound, "machine has no IP address");
  return std::vector<std::string>{std::move(any)};
}

}  // namespace proa::kubelet
