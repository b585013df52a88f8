#include "dns/cluster/index.h"

#include <algorithm>
#include <cstring>

namespace proa::dns {
namespace index {

constexpr size_t kMostPlaces = 0xffff;

template <typename T>
void sort_once(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  values.shrink_to_fit();
}

}  // namespace index

uint32_t Index::hash_address(const IpAddress& address) const {
  return hash_label({reinterpret_cast<const char*>(address.bytes.data()), address.bytes.size()},
                    seed_);
}

uint32_t Index::hash_service(std::string_view name_space, std::string_view name) const {
  return hash_label(name_space, hash_label(name, seed_) * 0x01000193U);
}

std::optional<uint32_t> Index::id_of(std::string_view name_space, std::string_view name) const {
  std::optional<uint32_t> result;
  by_name_.find(hash_service(name_space, name), [&](uint32_t id) {
    const ServiceEntry& entry = entries_[id];
    if (entry.name != name || entry.name_space != name_space) return false;
    result = id;
    return true;
  });
  return result;
}

const ServiceEntry* Index::find(std::string_view name_space, std::string_view name) const {
  const auto id = id_of(name_space, name);
  return id && entries_[*id].facts ? &entries_[*id] : nullptr;
}

uint32_t Index::make(std::string_view name_space, std::string_view name) {
  uint32_t id = 0;
  if (unused_.empty()) {
    id = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  entries_[id].name = name;
  entries_[id].name_space = name_space;
  by_name_.add(hash_service(name_space, name), id);
  return id;
}

void Index::drop_if_empty(uint32_t id) {
  ServiceEntry& entry = entries_[id];
  if (entry.facts || !entry.slices.empty()) return;
  by_name_.remove(hash_service(entry.name_space, entry.name), id);
  entry = {};
  unused_.push_back(id);
}

void Index::add_addresses(uint32_t id) {
  const ServiceEntry& entry = entries_[id];
  if (entry.facts) {
    for (const IpAddress& address : entry.facts->addresses) {
      by_address_.add(hash_address(address), id);
    }
  }
  for (const auto& slice : entry.slices) {
    for (const EndpointFacts& endpoint : slice.facts.endpoints) {
      by_address_.add(hash_address(endpoint.address), id);
    }
  }
}

void Index::remove_addresses(uint32_t id) {
  const ServiceEntry& entry = entries_[id];
  if (entry.facts) {
    for (const IpAddress& address : entry.facts->addresses) {
      by_address_.remove(hash_address(address), id);
    }
  }
  for (const auto& slice : entry.slices) {
    for (const EndpointFacts& endpoint : slice.facts.endpoints) {
      by_address_.remove(hash_address(endpoint.address), id);
    }
  }
}

void Index::derive(ServiceEntry& entry) {
  entry.places.clear();
  entry.v4.clear();
  entry.v6.clear();
  const bool headless = entry.facts && entry.facts->kind == ServiceFacts::Kind::kHeadless;
  for (size_t i = 0; i < std::min(entry.slices.size(), index::kMostPlaces); ++i) {
    const auto& endpoints = entry.slices[i].facts.endpoints;
    for (size_t j = 0; j < std::min(endpoints.size(), index::kMostPlaces); ++j) {
      const EndpointLabel label(endpoints[j]);
      entry.places.push_back({.hash = hash_label(label.view()),
                              .slice = static_cast<uint16_t>(i),
                              .endpoint = static_cast<uint16_t>(j)});
      if (!headless) continue;
      const IpAddress& address = endpoints[j].address;
      if (!address.is_v4()) {
        entry.v6.push_back(address);
        continue;
      }
      AddressV4& v4 = entry.v4.emplace_back();
      std::memcpy(v4.data(), address.bytes.data() + 12, v4.size());
    }
  }
  index::sort_once(entry.places);
  index::sort_once(entry.v4);
  index::sort_once(entry.v6);
}

bool Index::set_service(std::string_view name_space, std::string_view name,
                        std::optional<ServiceFacts> facts) {
  auto id = id_of(name_space, name);
  if (!id && !facts) return false;
  if (!id) id = make(name_space, name);
  ServiceEntry& entry = entries_[*id];
  if (entry.facts == facts) return false;
  remove_addresses(*id);
  entry.facts = std::move(facts);
  add_addresses(*id);
  derive(entry);
  drop_if_empty(*id);
  return true;
}

bool Index::set_slice(std::string_view name_space, std::string_view service, std::string_view slice,
                      std::optional<SliceFacts> facts) {
  auto id = id_of(name_space, service);
  if (!id && !facts) return false;
  if (!id) id = make(name_space, service);
  ServiceEntry& entry = entries_[*id];
  const auto found = std::ranges::find(entry.slices, slice, &ServiceEntry::Slice::name);
  if (found == entry.slices.end() ? !facts : facts == found->facts) return false;
  remove_addresses(*id);
  if (!facts) {
    entry.slices.erase(found);
  } else if (found != entry.slices.end()) {
    found->facts = std::move(*facts);
  } else {
    if (entry.slices.empty()) entry.slices.reserve(1);
    entry.slices.push_back({.name = std::string(slice), .facts = std::move(*facts)});
  }
  add_addresses(*id);
  derive(entry);
  drop_if_empty(*id);
  return true;
}

bool Index::set_namespace(std::string_view name, bool exists) {
  if (exists) return namespaces_.emplace(name).second;
  const auto found = namespaces_.find(name);
  if (found == namespaces_.end()) return false;
  namespaces_.erase(found);
  return true;
}

}  // namespace proa::dns
