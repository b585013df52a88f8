#include "controllers/network/slices/slice_plan.h"

#include <algorithm>

#include "controllers/network/backend.h"
#include "controllers/network/trigger_times.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace slice_plan {

constexpr const char* kHeadless = "service.kubernetes.io/headless";

TextMap labels_of(const api::Object& service) {
  TextMap labels = label_map(service);
  labels.erase(kHeadless);
  if (!service_facts(service).has_cluster_ip) labels[kHeadless] = "";
  labels[kServiceNameLabel] = service.metadata().name;
  labels[kSliceManagerLabel] = kSliceManager;
  return labels;
}

bool is_owned_by(const api::Object& slice, const api::Object& service) {
  const std::vector<api::Metadata::Owner>& owners = slice.metadata().owners;
  return std::any_of(owners.begin(), owners.end(), [&](const api::Metadata::Owner& owner) {
    return owner.uid == service.metadata().uid && owner.kind == "Service" &&
           owner.api_version == "v1";
  });
}

std::vector<EndpointPort> ports_of(const ServiceFacts& service, const Backend& pod) {
  std::vector<EndpointPort> ports;
  for (const ServicePort& port : service.ports) {
    const std::optional<int64_t> number = pod.number_of(port);
    if (!number) continue;
    ports.push_back({.number = *number,
                     .name = port.name,
                     .protocol = port.protocol,
                     .app_protocol = port.app_protocol});
  }
  return ports;
}

SliceEndpoint endpoint_of(const api::Object& pod, const api::Object* node,
                          const api::Object& service, IpFamily family) {
  const PodFacts& state = pod_facts(pod);
  const Backend& offers = backend(pod);
  SliceEndpoint endpoint;
  for (const Backend::Address& address : offers.addresses) {
    if (address.family == family) endpoint.addresses.push_back(address.ip);
  }
  endpoint.serving = state.ready;
  endpoint.terminating = state.being_deleted;
  // Clients that only read "ready" must not use a terminating endpoint.
  endpoint.ready =
      service_facts(service).publish_not_ready || (state.ready && !state.being_deleted);
  endpoint.hostname = offers.hostname_in(service.metadata().name);
  endpoint.node = state.node.view();
  if (const auto* zone = node == nullptr ? nullptr : node->metadata().label(kZoneLabel)) {
    endpoint.zone = *zone;
  }
  endpoint.target = TargetReference{.kind = "Pod",
                                    .name_space = pod.metadata().name_space,
                                    .name = pod.metadata().name,
                                    .uid = pod.metadata().uid};
  return endpoint;
}

}  // namespace slice_plan

SlicePlan::SlicePlan(const api::Object& service, IpFamily family,
                     std::vector<api::ObjectPtr> existing)
    : service_(service),
      facts_(service_facts(service)),
      family_(family),
      count_(existing.size()),
      labels_(slice_plan::labels_of(service)) {
  for (api::ObjectPtr& slice : existing) {
    if (!slice_plan::is_owned_by(*slice, service)) {
      foreign_.push_back(std::move(slice));
      continue;
    }
    const SliceFacts& facts = slice_facts(*slice);
    Group& group = groups_[facts.ports];
    group.existing.push_back({.facts = &facts, .outdated = label_map(*slice) != labels_});
    group.objects.push_back(std::move(slice));
  }
}

SlicePlan::Group& SlicePlan::group_of(const api::Object& pod) {
  if (same_group_ != nullptr) return *same_group_;
  std::vector<EndpointPort> ports = slice_plan::ports_of(facts_, backend(pod));
  Group& group = groups_[ports_key(ports)];
  group.ports = std::move(ports);
  group.wanted = true;
  const bool by_name = std::any_of(facts_.ports.begin(), facts_.ports.end(),
                                   [](const auto& port) { return !port.target_name.empty(); });
  if (!by_name) same_group_ = &group;
  return group;
}

void SlicePlan::add(const api::Object& pod, const api::Object* node) {
  SliceEndpoint endpoint = slice_plan::endpoint_of(pod, node, service_, family_);
  if (!endpoint.addresses.empty()) group_of(pod).endpoints.push_back(std::move(endpoint));
}

TopologyHints SlicePlan::pack(const std::optional<ZoneRatios>& ratios) {
  const bool divide = facts_.topology_mode_auto;
  std::vector<SliceToHint> slices;
  for (auto& [ports, group] : groups_) {
    if (!group.wanted) continue;
    if (!divide && asks_for_hints(facts_.traffic_distribution)) {
      put_distribution_hints(group.endpoints, facts_.traffic_distribution);
    }
    group.packing = pack_endpoints(group.existing, group.endpoints, kMostEndpointsPerSlice,
                                   divide ? Hints::kIgnore : Hints::kCompare);
    for (PackedSlice& slice : group.packing.slices) {
      slices.push_back({&slice, slice.existing ? group.existing[*slice.existing].facts : nullptr});
    }
  }
  if (!divide) return {};
  return put_topology_hints(slices, ratios);
}

std::vector<api::ObjectPtr> SlicePlan::removed() const {
  std::vector<api::ObjectPtr> removed = foreign_;
  for (const auto& [ports, group] : groups_) {
    if (!group.wanted) removed.insert(removed.end(), group.objects.begin(), group.objects.end());
    for (const size_t index : group.packing.removed) removed.push_back(group.objects[index]);
  }
  return removed;
}

std::vector<SlicePlan::NewSlice> SlicePlan::created() const {
  std::vector<NewSlice> created;
  for (const auto& [ports, group] : groups_) {
    for (const PackedSlice& slice : group.packing.slices) {
      if (!slice.existing) created.push_back({group.ports, slice.endpoints});
    }
  }
  return created;
}

// The placeholder slice of a service without endpoints.
bool SlicePlan::is_placeholder(const api::Object& slice) const {
  const SliceFacts& facts = slice_facts(slice);
  return facts.endpoints.empty() && facts.ports.empty() && label_map(slice) == labels_ &&
         slice_plan::is_owned_by(slice, service_);
}

void SlicePlan::fill(api::Edit slice, const NewSlice& content,
                     std::optional<Time> trigger_time) const {
  const api::Edit metadata = slice.object("metadata");
  put_texts(metadata, "labels", labels_);
  const api::Edit annotations = metadata.object("annotations");
  annotations.remove(kTriggerTimeAnnotation);
  if (trigger_time) annotations.set(kTriggerTimeAnnotation, format_time(*trigger_time));
  if (annotations.view().empty()) metadata.remove("annotations");
  write_slice_ports(slice, content.ports);
  put_endpoints(slice, content.endpoints);
}

Result<void> SlicePlan::add_update(const api::ObjectPtr& before, const NewSlice& content,
                                   std::optional<Time> trigger_time, SliceWrites& writes) const {
  json::Document document = TRY(before->document());
  fill(api::Edit(document), content, trigger_time);
  writes.update.push_back({before, std::move(document)});
  return {};
}

Result<void> SlicePlan::add_writes(const Owner& owner, std::optional<Time> trigger_time,
                                   SliceWrites& writes) {
  std::vector<api::ObjectPtr> gone = removed();
  std::vector<NewSlice> fresh = created();
  if (count_ == gone.size() && fresh.empty()) {
    if (gone.size() == 1 && is_placeholder(*gone.front())) return {};
    fresh.push_back({{}, {}});
  }
  for (const auto& [ports, group] : groups_) {
    for (const PackedSlice& slice : group.packing.slices) {
      if (!slice.existing || !slice.changed) continue;
      TRY(add_update(group.objects[*slice.existing], {group.ports, slice.endpoints}, trigger_time,
                     writes));
    }
  }
  for (api::ObjectPtr& slice : gone) {
    // Reuses slices that would be deleted.
    if (!fresh.empty() && slice_plan::is_owned_by(*slice, service_)) {
      TRY(add_update(slice, fresh.back(), trigger_time, writes));
      fresh.pop_back();
    } else {
      writes.remove.push_back(std::move(slice));
    }
  }
  // The garbage collector deletes the slices of a deleted service.
  if (service_.metadata().being_deleted) return {};
  for (const NewSlice& content : fresh) {
    json::Document document = new_slice(owner, name_of(family_));
    fill(api::Edit(document), content, trigger_time);
    writes.create.push_back(std::move(document));
  }
  return {};
}

}  // namespace proa::controllers
