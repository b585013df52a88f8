#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/edit.h"

// Contents of Endpoints. All text points into the pods, services and documents it was read from,
// which outlive it.

namespace proa::controllers {

// The target of an address (core/v1 ObjectReference), usually a pod.
struct TargetReference {
  std::string_view kind = {};
  std::string_view name_space = {};
  std::string_view name = {};
  std::string_view uid = {};
  std::string_view api_version = {};
  std::string_view field_path = {};
  std::string_view resource_version = {};

  static TargetReference read(api::View reference);
  void write(api::Edit reference) const;
  // Ignores the resourceVersion: pods change for other reasons.
  bool operator==(const TargetReference& other) const;
};

struct EndpointAddress {
  std::string_view ip = {};
  std::string_view hostname = {};
  std::string_view node = {};
  std::optional<TargetReference> target = std::nullopt;

  bool operator==(const EndpointAddress&) const = default;
};

struct EndpointPort {
  int64_t number = 0;
  std::string_view name = {};
  std::string_view protocol = "TCP";
  std::optional<std::string_view> app_protocol = std::nullopt;

  static EndpointPort read(api::View port);
  auto operator<=>(const EndpointPort&) const = default;
};

// All of these ports exist on all of these addresses.
struct EndpointSubset {
  std::vector<EndpointAddress> ready = {};
  std::vector<EndpointAddress> not_ready = {};
  std::vector<EndpointPort> ports = {};

  bool operator==(const EndpointSubset&) const = default;
};

// Combines addresses and ports into as few subsets as possible; the result does not depend on their
// order.
class SubsetPacker {
 public:
  // `port`: null for none. An address that is both ready and not ready counts as not ready.
  void add(const EndpointAddress& address, bool ready, const EndpointPort* port);
  void add(const EndpointSubset& subset);
  std::vector<EndpointSubset> pack() const;

 private:
  using Placed = std::map<size_t, bool>;  // address index, and whether it is ready

  static EndpointSubset subset_of(const std::vector<std::pair<size_t, bool>>& placed,
                                  std::span<const EndpointAddress> addresses);

  std::vector<EndpointAddress> addresses_;
  // By address and uid: pods in the network of their host share an address.
  std::map<std::pair<std::string_view, std::string_view>, size_t> known_;
  std::map<std::optional<EndpointPort>, Placed> by_port_;
};

// As a SubsetPacker puts them.
std::vector<EndpointSubset> repack(std::span<const EndpointSubset> subsets);

// Leaves `most` addresses, each subset its share, and those that are ready before those that are
// not. Whether there were more.
bool truncate(std::vector<EndpointSubset>& subsets, size_t most);

std::vector<EndpointSubset> read_subsets(api::View subsets);
void write_subsets(api::Edit endpoints, std::span<const EndpointSubset> subsets);

}  // namespace proa::controllers
