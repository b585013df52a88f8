#pragma once

#include <span>
#include <vector>

#include "api/object/object.h"
#include "network/announce/choose.h"

namespace proa::network {

// The objects that decide: Services and slices with kinds::kAnnouncedLabel.
struct AnnouncedObjects {
  std::span<const api::ObjectPtr> services;
  std::span<const api::ObjectPtr> slices;
  std::span<const api::ObjectPtr> nodes;
};

// The addresses of load balancers, and which nodes may announce them: ready ones that are not
// excluded from load balancers; for externalTrafficPolicy Local those with an endpoint. Sorted.
// Addresses of nodes themselves are never announced.
std::vector<AnnouncedAddress> announced_addresses(const AnnouncedObjects& objects);

// The internal addresses of a node.
std::vector<IpAddress> internal_addresses(const api::Object& node);

}  // namespace proa::network
