#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/service_facts.h"
#include "controllers/network/slices/hints.h"
#include "controllers/network/slices/packing.h"
#include "controllers/network/slices/slice_writer.h"

namespace proa::controllers {

// Upstream's default maximum of endpoints per slice.
inline constexpr size_t kMostEndpointsPerSlice = 100;
// The managed-by label of slices of services with selectors.
inline constexpr const char* kSliceManager = "endpointslice-controller.k8s.io";

// Plans the slices of one service and family: endpoints are added, packed, given hints if
// requested, and turned into writes. For one thread; no I/O.
class SlicePlan {
 public:
  // `existing`: the service's slices of that family. Everything outlives it.
  SlicePlan(const api::Object& service, IpFamily family, std::vector<api::ObjectPtr> existing);

  // `node`: null if unknown.
  void add(const api::Object& pod, const api::Object* node);
  // Packs the endpoints. Returns why there are no zone hints, if the service requests them.
  TopologyHints pack(const std::optional<ZoneRatios>& ratios);
  // `owner`: the service.
  Result<void> add_writes(const Owner& owner, std::optional<Time> trigger_time,
                          SliceWrites& writes);

 private:
  // Slices with the same ports.
  struct Group {
    std::vector<EndpointPort> ports = {};
    std::vector<SliceEndpoint> endpoints = {};
    std::vector<api::ObjectPtr> objects = {};
    std::vector<ExistingSlice> existing = {};
    Packing packing = {};
    bool wanted = false;
  };
  struct NewSlice {
    std::span<const EndpointPort> ports;
    std::span<SliceEndpoint* const> endpoints;
  };

  Group& group_of(const api::Object& pod);
  bool is_placeholder(const api::Object& slice) const;
  void fill(api::Edit slice, const NewSlice& content, std::optional<Time> trigger_time) const;
  Result<void> add_update(const api::ObjectPtr& before, const NewSlice& content,
                          std::optional<Time> trigger_time, SliceWrites& writes) const;
  // Slices to delete and endpoints to add.
  std::vector<api::ObjectPtr> removed() const;
  std::vector<NewSlice> created() const;

  const api::Object& service_;
  const ServiceFacts& facts_;
  const IpFamily family_;
  const size_t count_;  // number of existing slices
  TextMap labels_;
  std::vector<api::ObjectPtr> foreign_;  // of an earlier service with this name
  std::map<std::string, Group> groups_;  // by ports_key()
  Group* same_group_ = nullptr;          // the group of all pods if they have the same ports
};

}  // namespace proa::controllers
