#include "controllers/network/slices/mirroring.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/network/slices/mirror.h"
#include "controllers/network/slices/slice_writer.h"
#include "controllers/network/trigger_times.h"

namespace proa::controllers {
namespace mirroring {

using api::View;
using client::Again;
using client::Key;

constexpr const char* kManager = "endpointslicemirroring-controller.k8s.io";
constexpr size_t kMostPerSubset = 1000;
constexpr const char* kSkipLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr const char* kLeader = "control-plane.alpha.kubernetes.io/leader";
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

bool is_skipped(const api::Object& endpoints) {
  const std::string_view* skip = endpoints.metadata().label(kSkipLabel);
  return skip != nullptr && *skip == "true";
}

TextMap labels_of(const api::Object& endpoints) {
  TextMap labels = label_map(endpoints);
  labels[kServiceNameLabel] = endpoints.metadata().name;
  labels[kSliceManagerLabel] = kManager;
  return labels;
}

TextMap annotations_of(View metadata) {
  TextMap annotations;
  for (const json::Member& member : metadata["annotations"].members()) {
    annotations[member.key] = View(member.value).text();
  }
  return annotations;
}

TextMap annotations_to_copy(View metadata) {
  TextMap annotations = annotations_of(metadata);
  annotations.erase(kTriggerTimeAnnotation);
  annotations.erase(kLastApplied);
  return annotations;
}

// Whether the slice has the same endpoints, in any order.
bool holds(const SliceFacts& facts, std::span<const SliceEndpoint> endpoints) {
  if (facts.endpoints.size() != endpoints.size()) return false;
  const auto before = [](const EndpointMark& a, const EndpointMark& b) {
    return std::pair(a.identity, a.content) < std::pair(b.identity, b.content);
  };
  std::vector<EndpointMark> there = facts.endpoints;
  std::vector<EndpointMark> wanted;
  for (const SliceEndpoint& endpoint : endpoints) wanted.push_back(endpoint.mark());
  std::sort(there.begin(), there.end(), before);
  std::sort(wanted.begin(), wanted.end(), before);
  return there == wanted;
}

// Whether the slice mirrors these Endpoints, and not earlier ones of the name.
bool is_of(const api::Object& slice, const api::Object& endpoints) {
  const std::vector<api::Metadata::Owner>& owners = slice.metadata().owners;
  return std::any_of(owners.begin(), owners.end(), [&](const api::Metadata::Owner& owner) {
    return owner.uid == endpoints.metadata().uid;
  });
}

// The desired slices of Endpoints. For one reconcile.
class Plan {
 public:
  Plan(const Owner& owner, View document)
      : owner_(owner),
        labels_(labels_of(owner.object)),
        annotations_(annotations_to_copy(document["metadata"])),
        mirror_(mirror_of(document["subsets"], kMostPerSubset)) {}

  Result<SliceWrites> writes(std::vector<api::ObjectPtr> existing) {
    std::map<Mirror::Kind, std::vector<api::ObjectPtr>> by_kind;
    SliceWrites writes;
    for (api::ObjectPtr& slice : existing) {
      const SliceFacts& facts = slice_facts(*slice);
      const IpFamily family = facts.address_type == "IPv6" ? IpFamily::kV6 : IpFamily::kV4;
      std::vector<api::ObjectPtr>& same = by_kind[{family, facts.ports}];
      const bool wanted = same.empty() && mirror_.slices.contains({family, facts.ports});
      (wanted ? same : writes.remove).push_back(std::move(slice));
    }
    for (const auto& [kind, slice] : mirror_.slices) {
      const auto found = by_kind.find(kind);
      if (found == by_kind.end() || found->second.empty()) {
        TRY(add(kind, slice, writes));
      } else if (!TRY(is_as_wanted(*found->second.front(), slice))) {
        TRY(change(found->second.front(), slice, writes));
      }
    }
    if (owner_.object.metadata().being_deleted) writes.create.clear();
    return writes;
  }

  const Mirror& mirror() const { return mirror_; }

 private:
  Result<bool> is_as_wanted(const api::Object& existing, const Mirror::Slice& slice) const {
    if (!is_of(existing, owner_.object) || label_map(existing) != labels_) return false;
    const json::Document document = TRY(existing.document());
    if (annotations_of(View(document.root())["metadata"]) != annotations_) return false;
    return holds(slice_facts(existing), slice.endpoints);
  }

  void fill(api::Edit object, const Mirror::Slice& slice) const {
    const api::Edit metadata = object.object("metadata");
    put_texts(metadata, "labels", labels_);
    put_texts(metadata, "annotations", annotations_);
    metadata.remove("ownerReferences");
    put_owner_reference(metadata, owner_);
    write_slice_ports(object, slice.ports);
    std::vector<const SliceEndpoint*> endpoints;
    for (const SliceEndpoint& endpoint : slice.endpoints) endpoints.push_back(&endpoint);
    put_endpoints(object, endpoints);
  }

  Result<void> change(const api::ObjectPtr& existing, const Mirror::Slice& slice,
                      SliceWrites& writes) const {
    json::Document document = TRY(existing->document());
    fill(api::Edit(document), slice);
    writes.update.push_back({existing, std::move(document)});
    return {};
  }

  // Reuses a slice that would be deleted, if the address type matches.
  Result<void> add(const Mirror::Kind& kind, const Mirror::Slice& slice,
                   SliceWrites& writes) const {
    const std::string_view type = name_of(kind.first);
    const auto usable = std::find_if(
        writes.remove.begin(), writes.remove.end(),
        [&](const api::ObjectPtr& one) { return slice_facts(*one).address_type == type; });
    if (usable != writes.remove.end()) {
      const api::ObjectPtr existing = *usable;
      writes.remove.erase(usable);
      return change(existing, slice, writes);
    }
    json::Document document = new_slice(owner_, type);
    fill(api::Edit(document), slice);
    writes.create.push_back(std::move(document));
    return {};
  }

  const Owner owner_;
  const TextMap labels_;
  const TextMap annotations_;
  const Mirror mirror_;
};

class MirroringController final : public Controller {
 public:
  explicit MirroringController(const ControllerContext& context)
      : events_(context.events),
        resource_(*context.schema.find_resource("", "v1", "endpoints")),
        endpoints_(context.informers.of("", "endpoints")),
        services_(context.informers.of("", "services")),
        slices_(context, kManager, "Endpoints") {}

  void listen(client::WorkQueue& queue) override {
    slices_.listen(queue);
    endpoints_.add_handler([&queue](const client::Change& change) {
      const bool was = change.before != nullptr && !is_skipped(*change.before);
      const bool is = change.after != nullptr && !is_skipped(*change.after);
      if (was || is) queue.add(change.key);
    });
    services_.add_handler([&queue](const client::Change& change) {
      const bool was = change.before != nullptr && !service_facts(*change.before).selector;
      const bool is = change.after != nullptr && !service_facts(*change.after).selector;
      if (was != is) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!slices_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr endpoints = endpoints_.cache().get(key);
    const api::ObjectPtr service = services_.cache().get(key);
    const bool wanted = endpoints != nullptr && !is_skipped(*endpoints) && service != nullptr &&
                        !service_facts(*service).selector;
    if (!wanted) return remove_all(key);
    const json::Document document = TRY(endpoints->document());
    const View root = document.root();
    if (root["metadata"]["annotations"][kLeader]) return remove_all(key);
    Plan plan({resource_, *endpoints}, root);
    SliceWrites writes = TRY(plan.writes(slices_.slices_of(key)));
    tell_skipped(*endpoints, plan.mirror());
    TRY(slices_.write(key, std::move(writes)));
    return Again{};
  }

 private:
  Result<Again> remove_all(const Key& key) {
    SliceWrites writes;
    writes.remove = slices_.slices_of(key);
    TRY(slices_.write(key, std::move(writes)));
    return Again{};
  }

  void tell_skipped(const api::Object& endpoints, const Mirror& mirror) {
    if (mirror.skipped == 0) return;
    const client::ObjectReference about = client::ObjectReference::to(endpoints);
    if (mirror.invalid > 0) {
      events_.warning(about, "InvalidIPAddress",
                      fmt::format("Skipped {} invalid IP addresses when mirroring to "
                                  "EndpointSlices",
                                  mirror.invalid));
    }
    if (mirror.skipped > mirror.invalid) {
      events_.warning(about, "TooManyAddressesToMirror",
                      fmt::format("A max of {} addresses can be mirrored to EndpointSlices per "
                                  "Endpoints subset. {} addresses were skipped",
                                  kMostPerSubset, mirror.skipped));
    }
  }

  client::EventRecorder& events_;
  const api::Resource& resource_;
  client::Informer& endpoints_;
  client::Informer& services_;
  SliceWriter slices_;
};

}  // namespace mirroring

std::unique_ptr<Controller> make_endpoint_slice_mirroring_controller(
    const ControllerContext& context) {
  return std::make_unique<mirroring::MirroringController>(context);
}

}  // namespace proa::controllers
