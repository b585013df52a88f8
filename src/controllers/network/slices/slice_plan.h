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

// As many as upstream puts into one, if nobody says otherwise.
inline constexpr size_t kMostEndpointsPerSlice = 100;
// How slices of services with selectors call their controller.
inline constexpr const char* kSliceManager = "endpointslice-controller.k8s.io";

// The slices of one service for the addresses of one family: what they are, and what they shall be.
// In steps: endpoints are added, then packed, perhaps with hints, then told as writes. For one
// thread; touches nothing.
class SlicePlan {
 public:
  // `existing`: the service's slices of that family. Everything outlives it.
  SlicePlan(const api::Object& service, IpFamily family, std::vector<api::ObjectPtr> existing);

  // `node`: null when it is not known.
  void add(const api::Object& pod, const api::Object* node);
  // Packs them. The problem why there are no hints for zones, if the service wants them.
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
  // What is not needed any more, and what is new.
  std::vector<api::ObjectPtr> removed() const;
  std::vector<NewSlice> created() const;

  const api::Object& service_;
  const ServiceFacts& facts_;
  const IpFamily family_;
  const size_t count_;  // of the slices that are there
  TextMap labels_;
  std::vector<api::ObjectPtr> foreign_;  // of an older service with this name
  std::map<std::string, Group> groups_;  // by ports_key()
  Group* same_group_ = nullptr;          // of all pods, if their ports don't differ
};

}  // namespace proa::controllers
