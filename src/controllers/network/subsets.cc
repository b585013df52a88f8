#include "controllers/network/subsets.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace proa::controllers {
namespace subsets {

using api::Edit;
using api::View;

void set_text(Edit object, std::string_view name, std::string_view text) {
  if (!text.empty()) object.set(name, text);
}

std::string_view uid_of(const EndpointAddress& address) {
  return address.target ? address.target->uid : std::string_view();
}

bool comes_before(const EndpointAddress& a, const EndpointAddress& b) {
  return std::pair(a.ip, uid_of(a)) < std::pair(b.ip, uid_of(b));
}

const EndpointAddress* first_address(const EndpointSubset& subset) {
  if (!subset.ready.empty()) return &subset.ready.front();
  return subset.not_ready.empty() ? nullptr : &subset.not_ready.front();
}

// By ports; without ports, by addresses.
bool subset_before(const EndpointSubset& a, const EndpointSubset& b) {
  if (a.ports != b.ports) return a.ports < b.ports;
  const EndpointAddress* first = first_address(a);
  const EndpointAddress* other = first_address(b);
  if (first == nullptr || other == nullptr) return first == nullptr && other != nullptr;
  return comes_before(*first, *other);
}

std::vector<EndpointAddress> read_addresses(View list) {
  std::vector<EndpointAddress> addresses;
  addresses.reserve(list.size());
  for (const View item : list.items()) {
    EndpointAddress address{.ip = item["ip"].text(),
                            .hostname = item["hostname"].text(),
                            .node = item["nodeName"].text()};
    if (item["targetRef"]) address.target = TargetReference::read(item["targetRef"]);
    addresses.push_back(address);
  }
  return addresses;
}

void write_addresses(Edit subset, std::string_view name,
                     std::span<const EndpointAddress> addresses) {
  if (addresses.empty()) return;
  const Edit list = subset.array(name);
  for (const EndpointAddress& address : addresses) {
    const Edit item = list.push_object();
    item.set("ip", address.ip);
    set_text(item, "hostname", address.hostname);
    set_text(item, "nodeName", address.node);
    if (address.target) address.target->write(item.object("targetRef"));
  }
}

void write_ports(Edit subset, std::span<const EndpointPort> ports) {
  if (ports.empty()) return;
  const Edit list = subset.array("ports");
  for (const EndpointPort& port : ports) {
    const Edit item = list.push_object();
    set_text(item, "name", port.name);
    item.set("port", port.number);
    item.set("protocol", port.protocol);
    if (port.app_protocol) item.set("appProtocol", *port.app_protocol);
  }
}

}  // namespace subsets

TargetReference TargetReference::read(api::View reference) {
  return {.kind = reference["kind"].text(),
          .name_space = reference["namespace"].text(),
          .name = reference["name"].text(),
          .uid = reference["uid"].text(),
          .api_version = reference["apiVersion"].text(),
          .field_path = reference["fieldPath"].text(),
          .resource_version = reference["resourceVersion"].text()};
}

void TargetReference::write(api::Edit reference) const {
  subsets::set_text(reference, "kind", kind);
  subsets::set_text(reference, "namespace", name_space);
  subsets::set_text(reference, "name", name);
  subsets::set_text(reference, "uid", uid);
  subsets::set_text(reference, "apiVersion", api_version);
  subsets::set_text(reference, "fieldPath", field_path);
  subsets::set_text(reference, "resourceVersion", resource_version);
}

bool TargetReference::operator==(const TargetReference& other) const {
  return std::tie(kind, name_space, name, uid, api_version, field_path) ==
         std::tie(other.kind, other.name_space, other.name, other.uid, other.api_version,
                  other.field_path);
}

EndpointPort EndpointPort::read(api::View port) {
  EndpointPort read{.number = port["port"].integer(),
                    .name = port["name"].text(),
                    .protocol = port["protocol"].text("TCP")};
  if (port["appProtocol"]) read.app_protocol = port["appProtocol"].text();
  return read;
}

void SubsetPacker::add(const EndpointAddress& address, bool ready, const EndpointPort* port) {
  const auto [known, is_new] =
      known_.try_emplace({address.ip, subsets::uid_of(address)}, addresses_.size());
  if (is_new) addresses_.push_back(address);
  const auto key = port == nullptr ? std::nullopt : std::optional(*port);
  const auto [placed, is_first] = by_port_[key].try_emplace(known->second, ready);
  placed->second = placed->second && ready;
}

void SubsetPacker::add(const EndpointSubset& subset) {
  const auto add_all = [&](std::span<const EndpointAddress> addresses, bool ready) {
    for (const EndpointAddress& address : addresses) {
      if (subset.ports.empty()) add(address, ready, nullptr);
      for (const EndpointPort& port : subset.ports) add(address, ready, &port);
    }
  };
  add_all(subset.ready, true);
  add_all(subset.not_ready, false);
}

EndpointSubset SubsetPacker::subset_of(const std::vector<std::pair<size_t, bool>>& placed,
                                       std::span<const EndpointAddress> addresses) {
  EndpointSubset subset;
  for (const auto& [index, ready] : placed) {
    (ready ? subset.ready : subset.not_ready).push_back(addresses[index]);
  }
  std::sort(subset.ready.begin(), subset.ready.end(), subsets::comes_before);
  std::sort(subset.not_ready.begin(), subset.not_ready.end(), subsets::comes_before);
  return subset;
}

std::vector<EndpointSubset> SubsetPacker::pack() const {
  std::map<std::vector<std::pair<size_t, bool>>, std::vector<EndpointPort>> by_addresses;
  for (const auto& [port, placed] : by_port_) {
    std::vector<EndpointPort>& ports = by_addresses[{placed.begin(), placed.end()}];
    if (port) ports.push_back(*port);  // ascending: by_port_ is
  }
  std::vector<EndpointSubset> packed;
  packed.reserve(by_addresses.size());
  for (const auto& [placed, ports] : by_addresses) {
    EndpointSubset& subset = packed.emplace_back(subset_of(placed, addresses_));
    subset.ports = ports;
  }
  std::sort(packed.begin(), packed.end(), subsets::subset_before);
  return packed;
}

std::vector<EndpointSubset> repack(std::span<const EndpointSubset> subsets) {
  SubsetPacker packer;
  for (const EndpointSubset& subset : subsets) packer.add(subset);
  return packer.pack();
}

bool truncate(std::vector<EndpointSubset>& subsets, size_t most) {
  size_t ready = 0;
  size_t not_ready = 0;
  for (const EndpointSubset& subset : subsets) {
    ready += subset.ready.size();
    not_ready += subset.not_ready.size();
  }
  if (ready + not_ready <= most) return false;
  const bool too_many_ready = ready > most;
  const size_t room = too_many_ready ? most : most - ready;
  const size_t all = too_many_ready ? ready : not_ready;
  size_t left = room;
  for (EndpointSubset& subset : subsets) {
    std::vector<EndpointAddress>& cut = too_many_ready ? subset.ready : subset.not_ready;
    // Rounded up; the last one may get less than its share.
    const double share =
        static_cast<double>(cut.size()) / static_cast<double>(all) * static_cast<double>(room);
    const size_t stays = std::min({static_cast<size_t>(std::ceil(share)), left, cut.size()});
    cut.resize(stays);
    left -= stays;
    if (too_many_ready) subset.not_ready.clear();
  }
  return true;
}

std::vector<EndpointSubset> read_subsets(api::View subsets) {
  std::vector<EndpointSubset> read;
  read.reserve(subsets.size());
  for (const api::View item : subsets.items()) {
    EndpointSubset& subset = read.emplace_back();
    subset.ready = subsets::read_addresses(item["addresses"]);
    subset.not_ready = subsets::read_addresses(item["notReadyAddresses"]);
    for (const api::View port : item["ports"].items()) {
      subset.ports.push_back(EndpointPort::read(port));
    }
  }
  return read;
}

void write_subsets(api::Edit endpoints, std::span<const EndpointSubset> subsets) {
  endpoints.remove("subsets");
  if (subsets.empty()) return;
  const api::Edit list = endpoints.array("subsets");
  for (const EndpointSubset& subset : subsets) {
    const api::Edit item = list.push_object();
    subsets::write_addresses(item, "addresses", subset.ready);
    subsets::write_addresses(item, "notReadyAddresses", subset.not_ready);
    subsets::write_ports(item, subset.ports);
  }
}

}  // namespace proa::controllers
