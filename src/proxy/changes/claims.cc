#include "proxy/changes/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/log.h"

namespace proa::proxy {
namespace claims {

const Log kLog{"proxy"};
// About lost addresses.
constexpr uint32_t kMostLines = 20;
constexpr Duration kLinePeriod = std::chrono::seconds(30);

template <typename T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_stronger(const ServicePortPtr& a, const ServicePortPtr& b) {
  if (a->has_endpoints != b->has_endpoints) return a->has_endpoints;
  return a->name < b->name;
}

}  // namespace claims

Claims::Claims(const Clock& clock) : log_limit_(clock, claims::kMostLines, claims::kLinePeriod) {}

size_t Claims::AddressHash::operator()(const Address& address) const {
  const std::string_view ip(reinterpret_cast<const char*>(address.ip.bytes.data()),
                            address.ip.bytes.size());
  const auto rest = static_cast<size_t>(address.port) << 8 | static_cast<size_t>(address.protocol);
  return std::hash<std::string_view>()(ip) ^ rest * 0x9e3779b97f4a7c15U;
}

std::vector<Claims::Address> Claims::external_addresses(const ServicePort& port) {
  std::vector<Address> all;
  for (const auto* ips : {&port.external_ips, &port.load_balancer_ips}) {
    for (const IpAddress& ip : *ips) {
      const Address address = address_of(port, ip);
      if (ip != port.cluster_ip && !claims::contains(all, address)) all.push_back(address);
    }
  }
  return all;
}

void Claims::add(const ServicePortPtr& port) {
  cluster_ips_[address_of(*port, port->cluster_ip)] = port;
  for (const Address& address : external_addresses(*port)) {
    std::vector<ServicePortPtr>& all = externals_[address];
    all.insert(std::lower_bound(all.begin(), all.end(), port, claims::is_stronger), port);
  }
}

void Claims::remove(const ServicePort& port) {
  const auto same = [&port](const ServicePortPtr& one) { return one->name == port.name; };
  const auto cluster_ip = cluster_ips_.find(address_of(port, port.cluster_ip));
  if (cluster_ip != cluster_ips_.end() && same(cluster_ip->second)) cluster_ips_.erase(cluster_ip);
  for (const Address& address : external_addresses(port)) {
    const auto found = externals_.find(address);
    if (found == externals_.end()) continue;
    std::erase_if(found->second, same);
    if (found->second.empty()) externals_.erase(found);
  }
}

void Claims::add_rivals(const ServicePortPtr& port, Rivals& rivals) const {
  if (port == nullptr) return;
  const auto add_at = [&](const Address& address) {
    const auto found = externals_.find(address);
    if (found == externals_.end()) return;
    const ServicePortPtr& strongest = found->second.front();
    rivals.insert_or_assign(place_of(*strongest), strongest);
  };
  add_at(address_of(*port, port->cluster_ip));
  for (const Address& address : external_addresses(*port)) add_at(address);
}

const ServicePort& Claims::owner_of(const Address& address) const {
  const auto cluster_ip = cluster_ips_.find(address);
  if (cluster_ip != cluster_ips_.end()) return *cluster_ip->second;
  return *externals_.at(address).front();
}

Claims::Reduced Claims::reduce(const ServicePort& port) const {
  Reduced reduced;
  for (const Address& address : external_addresses(port)) {
    if (owner_of(address).name != port.name) reduced.lost.push_back(address);
  }
  if (reduced.lost.empty()) return reduced;
  ServicePort left = port;
  const auto is_lost = [&](const IpAddress& ip) {
    return claims::contains(reduced.lost, address_of(port, ip));
  };
  std::erase_if(left.external_ips, is_lost);
  std::erase_if(left.load_balancer_ips, is_lost);
  reduced.port = std::make_shared<const ServicePort>(std::move(left));
  return reduced;
}

ServicePortPtr Claims::settled(const ServicePortPtr& port) const {
  if (reduced_.empty()) return port;
  const auto found = reduced_.find(place_of(*port));
  return found == reduced_.end() ? port : found->second.port;
}

void Claims::log_lost(const ServicePort& port, const Reduced& now) {
  const auto known = reduced_.find(place_of(port));
  for (const Address& address : now.lost) {
    if (known != reduced_.end() && claims::contains(known->second.lost, address)) continue;
    const auto omitted = log_limit_.next();
    if (!omitted) continue;
    claims::kLog.warn("two Services claim the same address",
                      {{"address", Endpoint{.address = address.ip, .port = address.port}.str()},
                       {"used", owner_of(address).name.str()},
                       {"ignored", port.name.str()},
                       {"omitted", *omitted}});
  }
}

void Claims::tell(const ServicePortPtr& before, const ServicePortPtr& after,
                  std::vector<Change>& changes) {
  ServicePortPtr told = before == nullptr ? nullptr : settled(before);
  ServicePortPtr now = after;
  Reduced reduced;
  if (after != nullptr) reduced = reduce(*after);
  if (reduced.port != nullptr) {
    log_lost(*after, reduced);
    now = reduced.port;
    reduced_[place_of(*after)] = std::move(reduced);
  } else if (!reduced_.empty()) {
    reduced_.erase(place_of(after == nullptr ? *before : *after));
  }
  if (told != nullptr && now != nullptr && (told == now || *told == *now)) return;
  changes.push_back({.before = std::move(told), .after = std::move(now)});
}

void Claims::settle(std::vector<Change>& changes) {
  // Of those without a change, only the strongest at an address may win or lose it.
  Rivals rivals;
  const auto find_rivals = [&] {
    if (externals_.empty()) return;
    for (const Change& change : changes) {
      add_rivals(change.before, rivals);
      add_rivals(change.after, rivals);
    }
  };
  find_rivals();
  for (const Change& change : changes) {
    if (change.before != nullptr) remove(*change.before);
  }
  for (const Change& change : changes) {
    if (change.after != nullptr) add(change.after);
  }
  find_rivals();
  if (externals_.empty() && reduced_.empty()) return;
  std::vector<Change> settled;
  settled.reserve(changes.size());
  for (const Change& change : changes) {
    rivals.erase(place_of(change.after == nullptr ? *change.before : *change.after));
    tell(change.before, change.after, settled);
  }
  for (const auto& [place, port] : rivals) tell(port, port, settled);
  changes = std::move(settled);
}

}  // namespace proa::proxy
