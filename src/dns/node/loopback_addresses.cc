#include "dns/node/loopback_addresses.h"

#include <algorithm>

#include "base/strings.h"
#include "netlink/route/write.h"

namespace proa::dns {
namespace loopback_addresses {

constexpr std::string_view kLink = "lo";
constexpr size_t kMostRecord = 4096;

unsigned bits_of(const IpAddress& address) { return address.is_v4() ? 32 : 128; }

}  // namespace loopback_addresses

Result<LoopbackAddresses> LoopbackAddresses::open(Files& files, Clock& clock, std::string record) {
  netlink::Routing routing = TRY(netlink::Routing::open(clock));
  return LoopbackAddresses(files, std::move(record), std::move(routing));
}

Result<std::vector<IpAddress>> LoopbackAddresses::recorded() const {
  const auto text = files_->read_file(record_, loopback_addresses::kMostRecord);
  std::vector<IpAddress> addresses;
  if (text.is(Reason::kNotFound)) return addresses;
  if (!text.ok()) return text.status();
  for (const std::string_view line : split(*text, '\n')) {
    if (const auto address = parse_ip(trim(line))) addresses.push_back(*address);
  }
  return addresses;
}

Result<void> LoopbackAddresses::ensure(const std::vector<IpAddress>& addresses) {
  const std::vector<netlink::LinkAddress> existing = TRY(routing_.addresses());
  std::vector<IpAddress> missing;
  for (const IpAddress& address : addresses) {
    if (std::ranges::find(existing, address, &netlink::LinkAddress::address) == existing.end()) {
      missing.push_back(address);
    }
  }
  if (missing.empty()) return {};
  std::vector<IpAddress> ours = TRY(recorded());
  std::string text;
  for (const IpAddress& address : missing) {
    if (std::ranges::find(ours, address) == ours.end()) ours.push_back(address);
  }
  for (const IpAddress& address : ours) text += address.str() + "\n";
  // Before they exist: nothing is left behind that nobody knows of.
  TRY(files_->write_file_atomic(record_, text, 0644));
  const netlink::Link lo = TRY(routing_.link(loopback_addresses::kLink));
  netlink::Batch batch;
  for (const IpAddress& address : missing) {
    netlink::put_address(batch, {.link = lo.index,
                                 .address = address,
                                 .bits = loopback_addresses::bits_of(address),
                                 .tentative = false});
  }
  return routing_.apply(batch);
}

Result<void> LoopbackAddresses::remove() {
  const std::vector<IpAddress> ours = TRY(recorded());
  if (ours.empty()) return {};
  const netlink::Link lo = TRY(routing_.link(loopback_addresses::kLink));
  netlink::Batch batch;
  bool any = false;
  for (const netlink::LinkAddress& existing : TRY(routing_.addresses())) {
    if (existing.link != lo.index || std::ranges::find(ours, existing.address) == ours.end()) {
      continue;
    }
    netlink::remove_address(batch, existing);
    any = true;
  }
  if (any) TRY(routing_.apply(batch));
  return files_->remove(record_);
}

Result<void> remove_loopback_addresses(Files& files, Clock& clock, const std::string& record) {
  if (!TRY(files.exists(record))) return {};
  LoopbackAddresses addresses = TRY(LoopbackAddresses::open(files, clock, record));
  return addresses.remove();
}

}  // namespace proa::dns
