#include "dns/server/access.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>

#include "dns/server/sockets.h"

namespace proa::dns {
namespace access {

constexpr unsigned kLoopback = 1;  // the first link of every namespace
constexpr Duration kLookAgain = std::chrono::seconds(1);

std::vector<IpAddress> local_addresses() {
  std::vector<IpAddress> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (const auto address = address_of(one->ifa_addr)) found.push_back(*address);
  }
  freeifaddrs(list);
  return found;
}

bool is_loopback(const IpAddress& address) {
  if (address.is_v4()) return address.bytes[12] == 127;
  IpAddress loopback;
  loopback.bytes[15] = 1;
  return address == loopback;
}

}  // namespace access

void Access::set(Rules rules) {
  WriterLock lock(mutex_);
  rules_ = std::move(rules);
  link_ = 0;
  looked_for_link_ = 0;
}

void Access::set_pods(std::vector<IpPrefix> pods) {
  WriterLock lock(mutex_);
  rules_.pods = std::move(pods);
}

void Access::set_link(std::string link) {
  WriterLock lock(mutex_);
  rules_.link = std::move(link);
  link_ = 0;
  looked_for_link_ = 0;
}

bool Access::may_look(std::atomic<int64_t>& last) {
  const int64_t now = clock_.steady().time_since_epoch().count();
  int64_t before = last.load();
  if (before != 0 && now - before < Duration(access::kLookAgain).count()) return false;
  return last.compare_exchange_strong(before, now);
}

bool Access::is_pod(const IpAddress& address) {
  ReaderLock lock(mutex_);
  return std::ranges::any_of(rules_.pods,
                             [&](const IpPrefix& range) { return range.contains(address); });
}

bool Access::is_pod_link(unsigned link) {
  std::string name;
  {
    ReaderLock lock(mutex_);
    if (rules_.link.empty() || link_ == link) return true;
    name = rules_.link;
  }
  // The link may have been made again, with another number.
  if (!may_look(looked_for_link_)) return false;
  const unsigned found = if_nametoindex(name.c_str());
  WriterLock lock(mutex_);
  link_ = found;
  return found == link;
}

bool Access::is_local(const IpAddress& address) {
  if (access::is_loopback(address)) return true;
  const auto known = [&]() EXCLUDES(mutex_) {
    ReaderLock lock(mutex_);
    return std::ranges::find(local_, address) != local_.end();
  };
  if (known()) return true;
  if (!may_look(looked_for_local_)) return false;
  std::vector<IpAddress> found = access::local_addresses();
  {
    WriterLock lock(mutex_);
    local_ = std::move(found);
  }
  return known();
}

bool Access::allows_packet(const IpAddress& source, unsigned link) {
  if (link == access::kLoopback) return true;
  return is_pod(source) && is_pod_link(link);
}

bool Access::allows_connection(const IpAddress& source) {
  return is_pod(source) || is_local(source);
}

}  // namespace proa::dns
