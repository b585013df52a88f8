#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dns/cluster/facts.h"
#include "dns/cluster/id_table.h"

namespace proa::dns {

using AddressV4 = std::array<uint8_t, 4>;

inline constexpr uint32_t kHashBasis = 0x811c9dc5U;
// FNV-1a of a label.
constexpr uint32_t hash_label(std::string_view label, uint32_t hash = kHashBasis) {
  for (const char c : label) hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193U;
  return hash;
}

// Where an endpoint is in its Service.
struct EndpointPlace {
  uint32_t hash = 0;  // of its label
  uint16_t slice = 0;
  uint16_t endpoint = 0;

  auto operator<=>(const EndpointPlace&) const = default;
};

// A Service, and the EndpointSlices that say they are its own.
struct ServiceEntry {
  struct Slice {
    std::string name;
    SliceFacts facts;
  };
  std::string name;
  std::string name_space;
  std::optional<ServiceFacts> facts;  // none: there are slices only
  std::vector<Slice> slices;
  // Derived. Endpoints by their labels, and, if it is headless, its addresses, each once.
  std::vector<EndpointPlace> places;
  std::vector<AddressV4> v4;
  std::vector<IpAddress> v6;

  const EndpointFacts& at(const EndpointPlace& place) const {
    return slices[place.slice].facts.endpoints[place.endpoint];
  }
};

// What is known of the cluster: Namespaces, Services by name, Services by address. Made for
// reading: no lookup allocates.
class Index {
 public:
  // `seed`: whoever names Services must not know which of them get the same hash.
  explicit Index(uint32_t seed = kHashBasis) : seed_(seed) {}

  // As the API has it now; nullopt: it is gone, or has no name. Returns whether something changed.
  bool set_service(std::string_view name_space, std::string_view name,
                   std::optional<ServiceFacts> facts);
  bool set_slice(std::string_view name_space, std::string_view service, std::string_view slice,
                 std::optional<SliceFacts> facts);
  bool set_namespace(std::string_view name, bool exists);
  // Everything that existed at the start is there: what is not found does not exist.
  void set_synced() { synced_ = true; }
  // Seconds since 1970 of the last change: the serial of the zone.
  void set_serial(uint32_t serial) { serial_ = serial; }

  // REQUIRES: lower case.
  const ServiceEntry* find(std::string_view name_space, std::string_view name) const;
  bool has_namespace(std::string_view name) const { return namespaces_.contains(name); }
  // Calls `visit` with every Service that has the address itself or as an endpoint, until it
  // returns true.
  template <typename Visit>
  void find_address(const IpAddress& address, const Visit& visit) const {
    by_address_.find(hash_address(address), [&](uint32_t id) { return visit(entries_[id]); });
  }

  bool synced() const { return synced_; }
  uint32_t serial() const { return serial_; }
  size_t services() const { return by_name_.size(); }

 private:
  uint32_t hash_address(const IpAddress& address) const;
  uint32_t hash_service(std::string_view name_space, std::string_view name) const;
  std::optional<uint32_t> id_of(std::string_view name_space, std::string_view name) const;
  uint32_t make(std::string_view name_space, std::string_view name);
  void drop_if_empty(uint32_t id);
  void add_addresses(uint32_t id);
  void remove_addresses(uint32_t id);
  static void derive(ServiceEntry& entry);

  const uint32_t seed_;
  std::deque<ServiceEntry> entries_;
  std::vector<uint32_t> unused_;  // entries that are free
  IdTable by_name_;
  IdTable by_address_;
  std::set<std::string, std::less<>> namespaces_;
  bool synced_ = false;
  uint32_t serial_ = 1;
};

}  // namespace proa::dns
