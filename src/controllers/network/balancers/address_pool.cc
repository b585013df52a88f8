#include "controllers/network/balancers/address_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "controllers/network/balancers/load_balancer.h"

namespace proa::controllers {
namespace address_pool {

// Searches stop here: the pool is full, or nearly all of it is reserved.
constexpr size_t kMostTried = size_t{1} << 17;

// Addresses that may mean the network or all of its machines, depending on prefixes that we do not
// know: .0 and .255, and the first of an IPv6 range. A single address is meant as it stands.
bool is_ambiguous(const IpAddress& address, const IpPrefix& range) {
  if (range.v6) return range.bits < 127 && address == range.base();
  const uint8_t last = address.bytes.back();
  return range.bits < 31 && (last == 0 || last == 255);
}

IpAddress next(IpAddress address) {
  for (size_t i = address.bytes.size(); i-- > 0;) {
    if (++address.bytes[i] != 0) break;
  }
  return address;
}

Result<IpPrefix> parse_range(std::string_view text) {
  IpNotation notation;
  const auto range = parse_prefix(text, &notation);
  if (!range || notation.leading_zeros || notation.v4_in_v6 || range->address != range->base()) {
    return Status(Reason::kInvalid,
                  fmt::format("--load-balancer-pool must be \"nodes\", or CIDRs such as "
                              "192.0.2.64/26, not {}",
                              text));
  }
  return *range;
}

}  // namespace address_pool

Result<std::vector<IpPrefix>> parse_load_balancer_pool(std::string_view flag) {
  std::vector<IpPrefix> ranges;
  if (flag.empty() || flag == "nodes") return ranges;
  for (const std::string_view text : split(flag, ',')) {
    const IpPrefix range = TRY(address_pool::parse_range(trim(text)));
    for (const IpPrefix& other : ranges) {
      if (!overlap(range, other)) continue;
      return Status(Reason::kInvalid, fmt::format("--load-balancer-pool: {} overlaps with {}",
                                                  range.str(), other.str()));
    }
    ranges.push_back(range);
  }
  return ranges;
}

Result<std::vector<std::string>> AddressPool::assign(const Request& request) {
  MutexLock lock(mutex_);
  TRY(check_family(request));
  std::vector<std::string> texts;
  std::set<IpAddress> addresses;
  for (const IpFamily family : request.families) {
    if (!has_family(family)) continue;
    const Result<IpAddress> chosen = choose(request, family);
    if (!chosen) {
      waiting_.insert(request.service);
      return chosen.status();
    }
    addresses.insert(*chosen);
    texts.push_back(chosen->str());
  }
  if (texts.empty()) {
    const std::string_view family = request.families.empty() ? "" : name_of(request.families[0]);
    return Status(Reason::kInvalid, fmt::format("the pool {} has no {} range", describe(), family));
  }
  set(request.service, addresses);
  waiting_.erase(request.service);
  return texts;
}

// An address that no family of the Service can have would be ignored otherwise.
Result<void> AddressPool::check_family(const Request& request) const {
  const auto requested = parse_ip(request.requested);
  if (!requested) return {};
  const IpFamily family = family_of(*requested);
  if (!has_family(family)) {
    return Status(Reason::kInvalid, fmt::format("loadBalancerIP {} is not in the pool {}",
                                                requested->str(), describe()));
  }
  if (std::ranges::find(request.families, family) != request.families.end()) return {};
  return Status(Reason::kInvalid, fmt::format("loadBalancerIP {} is {}, which the Service is not",
                                              requested->str(), name_of(family)));
}

void AddressPool::adopt(const client::Key& service, std::span<const std::string> current) {
  MutexLock lock(mutex_);
  std::set<IpAddress> addresses;
  for (const std::string& text : current) {
    const auto address = parse_ip(text);
    if (address && contains(*address) && is_free(*address, service)) addresses.insert(*address);
  }
  set(service, addresses);
}

void AddressPool::release(const client::Key& service) {
  MutexLock lock(mutex_);
  set(service, {});
  waiting_.erase(service);
}

std::vector<client::Key> AddressPool::take_waiting() {
  MutexLock lock(mutex_);
  if (!std::exchange(released_, false)) return {};
  const std::set<client::Key> waiting = std::exchange(waiting_, {});
  return {waiting.begin(), waiting.end()};
}

Result<IpAddress> AddressPool::choose(const Request& request, IpFamily family) const {
  const auto requested = parse_ip(request.requested);
  if (requested && family_of(*requested) == family) return choose_requested(request, *requested);
  for (const std::string& text : request.current) {
    const auto address = parse_ip(text);
    if (!address || family_of(*address) != family || !contains(*address)) continue;
    if (is_free(*address, request.service)) return *address;
  }
  if (const auto held = held_.find(request.service); held != held_.end()) {
    for (const IpAddress& address : held->second) {
      if (family_of(address) == family) return address;
    }
  }
  if (const auto free = first_free(family)) return *free;
  return Status(Reason::kConflict,
                fmt::format("no {} address is free in the pool {}", name_of(family), describe()));
}

std::optional<IpAddress> AddressPool::first_free(IpFamily family) const {
  size_t tried = 0;
  for (const IpPrefix& range : ranges_) {
    if (range.v6 != (family == IpFamily::kV6)) continue;
    for (IpAddress address = range.base(); range.contains(address);
         address = address_pool::next(address)) {
      if (++tried > address_pool::kMostTried) break;
      if (holders_.contains(address) || address_pool::is_ambiguous(address, range)) continue;
      if (!is_reserved_(address)) return address;
    }
  }
  return std::nullopt;
}

Result<IpAddress> AddressPool::choose_requested(const Request& request,
                                                const IpAddress& address) const {
  if (!contains(address)) {
    return Status(Reason::kInvalid, fmt::format("loadBalancerIP {} is not in the pool {}",
                                                address.str(), describe()));
  }
  const auto holder = holders_.find(address);
  if (holder != holders_.end() && holder->second != request.service) {
    return Status(Reason::kConflict, fmt::format("loadBalancerIP {} is used by Service {}",
                                                 address.str(), holder->second.str()));
  }
  if (is_reserved_(address)) {
    return Status(Reason::kConflict,
                  fmt::format("loadBalancerIP {} is the address of a node", address.str()));
  }
  return address;
}

bool AddressPool::is_free(const IpAddress& address, const client::Key& service) const {
  const auto holder = holders_.find(address);
  return holder == holders_.end() || holder->second == service;
}

bool AddressPool::contains(const IpAddress& address) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const IpPrefix& range) { return range.contains(address); });
}

bool AddressPool::has_family(IpFamily family) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const IpPrefix& range) { return range.v6 == (family == IpFamily::kV6); });
}

std::string AddressPool::describe() const {
  std::vector<std::string> texts;
  for (const IpPrefix& range : ranges_) texts.push_back(range.str());
  return join(texts, ",");
}

void AddressPool::set(const client::Key& service, const std::set<IpAddress>& addresses) {
  auto& held = held_[service];
  for (const IpAddress& address : held) {
    if (addresses.contains(address)) continue;
    holders_.erase(address);
    released_ = true;
  }
  for (const IpAddress& address : addresses) holders_.insert_or_assign(address, service);
  held = addresses;
  if (addresses.empty()) held_.erase(service);
}

}  // namespace proa::controllers
