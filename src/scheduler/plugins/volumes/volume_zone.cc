#include "scheduler/plugins/volumes/volume_zone.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "kinds/core/volumes/volume_facts.h"
#include "scheduler/plugins/volumes/pod_volumes.h"
#include "scheduler/plugins/volumes/volume_place.h"

namespace proa::scheduler {
namespace volume_zone {

// The label that took the place of an old one; else the label itself.
std::string_view newer_label(std::string_view label) {
  if (label == kZoneLabels[0]) return kZoneLabels[2];
  if (label == kZoneLabels[1]) return kZoneLabels[3];
  return label;
}

// Which values of a label will do, by their numbers.
struct Allowed {
  Allowed(const Domains& of, const std::vector<std::string>& values)
      : domains(&of), by_domain(of.size()) {
    for (size_t i = 0; i < by_domain.size(); ++i) {
      const std::string& value = of.value(static_cast<DomainIndex>(i));
      by_domain[i] = std::find(values.begin(), values.end(), value) != values.end();
    }
  }
  bool has(DomainIndex domain) const {
    return domain != kNoDomain && static_cast<size_t>(domain) < by_domain.size() &&
           by_domain[domain];
  }

  const Domains* domains;
  std::vector<bool> by_domain;
};

// The requirement of one zone label of a volume: nodes match by that label, or by the newer one if
// they lack it.
struct Demand {
  Allowed by_label;
  Allowed by_newer_label;
  const VolumePlace::Zones* zones;
  api::ObjectPtr volume;  // which the zones belong to

  bool takes(NodeIndex node) const {
    const DomainIndex domain = by_label.domains->of(node);
    if (domain != kNoDomain) return by_label.has(domain);
    return by_newer_label.has(by_newer_label.domains->of(node));
  }
};

using LabelDomains = std::array<const Domains*, std::size(kZoneLabels)>;

class Filter final : public NodeFilter {
 public:
  Filter(std::vector<Demand> demands, LabelDomains labels, Verdict rejection)
      : demands_(std::move(demands)), labels_(labels), rejection_(rejection) {}

  bool is_local() const override { return false; }

  Verdict check(NodeIndex index, const Node& /*node*/) override {
    return find_refusal(index) == nullptr ? Verdict() : rejection_;
  }

  std::string suggestion(NodeIndex index, const Node& /*node*/) override {
    const Demand* refusal = find_refusal(index);
    if (refusal == nullptr) return {};
    return "volume " + std::string(refusal->volume->metadata().name) + " requires a node in " +
           refusal->zones->label + " " + join(refusal->zones->values, ", ");
  }

 private:
  // A node without any such label is of a cluster that has only one zone.
  const Demand* find_refusal(NodeIndex index) const {
    const bool has_zone = std::any_of(labels_.begin(), labels_.end(), [&](const Domains* label) {
      return label->of(index) != kNoDomain;
    });
    if (!has_zone) return nullptr;
    for (const Demand& demand : demands_) {
      if (!demand.takes(index)) return &demand;
    }
    return nullptr;
  }

  const std::vector<Demand> demands_;
  const LabelDomains labels_;
  const Verdict rejection_;
};

class VolumeZone final : public FilterPlugin {
 public:
  explicit VolumeZone(const PluginContext& context)
      : cluster_(context.cluster),
        claims_(context.informers.of("", "persistentvolumeclaims").cache()),
        volumes_(context.informers.of("", "persistentvolumes").cache()),
        classes_(context.informers.of("storage.k8s.io", "storageclasses").cache()) {}

  std::string_view name() const override { return "VolumeZone"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kStorageClass, action::kAdd},
            {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel},
            {EventResource::kPersistentVolumeClaim, action::kAdd | action::kUpdate},
            {EventResource::kPersistentVolume, action::kAdd | action::kUpdate}};
  }

  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.new_object == nullptr) return true;
    switch (event.resource) {
      case EventResource::kStorageClass:
        return kinds::class_facts(*event.new_object).waits_for_consumer;
      case EventResource::kPersistentVolumeClaim:
        return uses_claim(pod, *event.new_object, false);
      case EventResource::kPersistentVolume:
        return event.old_object == nullptr ||
               volume_place(*event.old_object).zones != volume_place(*event.new_object).zones;
      default:
        return true;
    }
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    std::vector<Demand> demands;
    for (const PodVolume& volume : volumes_of(pod)) {
      if (volume.kind != PodVolume::Kind::kClaim) continue;
      const Result<void> added = add_demands(pod, volume, demands);
      if (added) continue;
      result.verdict = reasons_.say(Code::kUnresolvable, added.status().message());
      return result;
    }
    if (demands.empty()) return result;
    LabelDomains labels{};
    for (size_t i = 0; i < labels.size(); ++i) labels[i] = &domains(kZoneLabels[i]);
    result.filter = std::make_unique<Filter>(std::move(demands), labels, rejection_);
    return result;
  }

 private:
  const Domains& domains(std::string_view label) const {
    return cluster_.domains(std::string(label));
  }

  Result<void> add_demands(const Pod& pod, const PodVolume& volume,
                           std::vector<Demand>& demands) const {
    if (volume.name.empty()) {
      return Status(Reason::kUnknown, "PersistentVolumeClaim had no name");
    }
    const api::ObjectPtr claim = TRY(find_claim(claims_, pod, volume));
    const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
    if (facts.volume.empty()) return check_unbound(facts);
    const api::ObjectPtr bound = volumes_.get({"", facts.volume});
    if (bound == nullptr) return not_found("persistentvolume", facts.volume);
    for (const VolumePlace::Zones& zones : volume_place(*bound).zones) {
      demands.push_back({.by_label = Allowed(domains(zones.label), zones.values),
                         .by_newer_label = Allowed(domains(newer_label(zones.label)), zones.values),
                         .zones = &zones,
                         .volume = bound});
    }
    return {};
  }

  // Succeeds if the claim is bound after the pod is scheduled (WaitForFirstConsumer).
  Result<void> check_unbound(const kinds::ClaimFacts& claim) const {
    const std::string name(claim.class_name());
    if (name.empty()) {
      return Status(Reason::kUnknown, "PersistentVolumeClaim had no pv name and storageClass name");
    }
    const api::ObjectPtr its_class = classes_.get({"", name});
    if (its_class == nullptr) return not_found("storageclass.storage.k8s.io", name);
    if (kinds::class_facts(*its_class).waits_for_consumer) return {};
    return Status(Reason::kUnknown, "PersistentVolume had no name");
  }

  const Cluster& cluster_;
  const client::Cache& claims_;
  const client::Cache& volumes_;
  const client::Cache& classes_;
  ReasonBook reasons_;
  const Verdict rejection_ =
      reasons_.say(Code::kUnresolvable, "node(s) had no available volume zone");
};

}  // namespace volume_zone

Result<std::unique_ptr<Plugin>> make_volume_zone(const PluginContext& context, api::View /*args*/) {
  return std::make_unique<volume_zone::VolumeZone>(context);
}

}  // namespace proa::scheduler
