#include "scheduler/model/pod_shape.h"

#include <algorithm>

#include "json/parse.h"

namespace proa::scheduler {
namespace pod_shape {

using api::LabelSelector;
using api::RawJson;
using api::View;
using kinds::pods::NodeSelectorTerm;
using objects::Volume;

// --- The key ---

// Objects are printed in one order of fields, so equal text means equal content. Neither names nor
// JSON texts contain a line break.
void put(std::string& key, std::string_view text) { key.append(text).push_back('\n'); }
void put(std::string& key, RawJson part) { put(key, part.text); }

void put_containers(std::string& key, const std::vector<objects::Container>& containers) {
  for (const objects::Container& container : containers) {
    put(key, container.image);
    put(key, container.resources.requests);
    put(key, container.restart_policy);
    for (const objects::ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      key.append(std::to_string(port.host_port)).push_back(' ');
      key.append(port.protocol).push_back(' ');
      put(key, port.host_ip);
    }
    key.push_back('\n');
  }
  key.push_back('\n');
}

// The sources that restrict where a pod may run. The token volume of the service account, which has
// another name in each pod, is not one of them.
constexpr RawJson Volume::*kPlacedSources[] = {
    &Volume::claim,  &Volume::ephemeral, &Volume::csi,     &Volume::gce,
    &Volume::aws,    &Volume::iscsi,     &Volume::rbd,     &Volume::azure_disk,
    &Volume::cinder, &Volume::portworx,  &Volume::vsphere, &Volume::azure_file};

bool is_placed(const Volume& volume) {
  return std::any_of(std::begin(kPlacedSources), std::end(kPlacedSources),
                     [&](RawJson Volume::*source) { return !(volume.*source).empty(); });
}

void put_volumes(std::string& key, const std::vector<Volume>& volumes, std::string_view pod_name) {
  bool has_ephemeral_claim = false;
  for (const Volume& volume : volumes) {
    has_ephemeral_claim = has_ephemeral_claim || !volume.ephemeral.empty();
    if (!is_placed(volume) && volume.image.empty()) continue;
    put(key, volume.name);
    for (RawJson Volume::*source : kPlacedSources) put(key, volume.*source);
    put(key, volume.image);
  }
  if (has_ephemeral_claim) put(key, pod_name);
}

bool same_amounts(RawJson a, RawJson b) {
  return a.text == b.text || read_amounts(a) == read_amounts(b);
}

// Adds the resources in effect of a container or pod. They are always reported, but only matter
// where they differ from the requests in the spec: while the pod is being resized.
void put_state(std::string& key, RawJson requests,
               const std::optional<objects::ResourceRequirements>& in_effect, RawJson allocated,
               std::string_view owner) {
  if (!in_effect) return;
  if (same_amounts(in_effect->requests, requests) &&
      (allocated.empty() || same_amounts(allocated, requests))) {
    return;
  }
  put(key, owner);
  put(key, in_effect->requests);
  put(key, allocated);
}

void put_states(std::string& key, const std::vector<objects::Container>& containers,
                const std::vector<objects::ContainerStatus>& states, char sort) {
  if (states.empty()) return;
  for (size_t i = 0; i < containers.size(); ++i) {
    for (const objects::ContainerStatus& state : states) {
      if (state.name != containers[i].name) continue;
      put_state(key, containers[i].resources.requests, state.resources, state.allocated,
                sort + std::to_string(i));
    }
  }
}

void put_resize(std::string& key, const objects::PodSpec& spec, const objects::PodStatus& status) {
  put_states(key, spec.init_containers, status.init_containers, 'i');
  put_states(key, spec.containers, status.containers, 'c');
  put_state(key, spec.resources.requests, status.resources, status.allocated, "pod");
  if (const objects::PodCondition* pending = status.condition("PodResizePending")) {
    put(key, pending->reason);
  }
}

// --- Its parts ---

const api::Metadata::Owner* controller_of(const api::Metadata& metadata) {
  for (const api::Metadata::Owner& owner : metadata.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

// Calls `read` with the tree of a part that was kept as text; with an absent one if it has none.
template <typename Read>
auto read_tree(RawJson part, Read read) {
  if (part.empty()) return read(View());
  const Result<json::Document> tree = json::parse(part.text);
  return read(tree ? View(tree->root()) : View());
}

AffinityTerm term_of(objects::PodAffinityTerm from, std::string_view own_namespace,
                     int64_t weight) {
  AffinityTerm term;
  term.topology_key = std::move(from.topology_key);
  term.selector = std::move(from.selector);
  term.weight = static_cast<int32_t>(weight);
  term.namespaces = std::move(from.namespaces);
  if (from.namespace_selector) {
    term.namespace_selector = std::move(*from.namespace_selector);
  } else if (term.namespaces.empty()) {
    term.namespaces.emplace_back(own_namespace);
  }
  std::sort(term.namespaces.begin(), term.namespaces.end());
  return term;
}

std::vector<AffinityTerm> required_terms(objects::PodAffinity& affinity,
                                         std::string_view own_namespace) {
  std::vector<AffinityTerm> terms;
  for (objects::PodAffinityTerm& one : affinity.required) {
    terms.push_back(term_of(std::move(one), own_namespace, 0));
  }
  return terms;
}

std::vector<AffinityTerm> preferred_terms(objects::PodAffinity& affinity,
                                          std::string_view own_namespace) {
  std::vector<AffinityTerm> terms;
  for (objects::WeightedPodAffinityTerm& one : affinity.preferred) {
    terms.push_back(term_of(std::move(one.term), own_namespace, one.weight));
  }
  return terms;
}

// The API server merges matchLabelKeys into the selectors of new pods; older pods only have the
// keys.
LabelSelector with_label_keys(objects::TopologySpreadConstraint& constraint,
                              const api::Metadata& metadata) {
  LabelSelector selector = std::move(constraint.selector);
  if (constraint.match_label_keys.empty() || selector.matches_nothing()) return selector;
  std::string text = selector.str();
  for (const std::string& key : constraint.match_label_keys) {
    const std::string_view* value = metadata.label(key);
    if (value == nullptr) continue;
    if (!text.empty()) text.push_back(',');
    text.append(key).append("=").append(*value);
  }
  Result<LabelSelector> merged = LabelSelector::parse(text);
  return merged ? std::move(*merged) : selector;
}

SpreadConstraint constraint_of(objects::TopologySpreadConstraint from,
                               const api::Metadata& metadata) {
  SpreadConstraint constraint;
  constraint.selector = with_label_keys(from, metadata);
  constraint.topology_key = std::move(from.topology_key);
  constraint.max_skew = static_cast<int32_t>(from.max_skew);
  constraint.min_domains = static_cast<int32_t>(from.min_domains);
  constraint.hard = from.when_unsatisfiable != "ScheduleAnyway";
  constraint.honors_affinity = from.node_affinity_policy != "Ignore";
  constraint.honors_taints = from.node_taints_policy == "Honor";
  return constraint;
}

void read_ports(const objects::Container& container, std::vector<HostPort>& ports) {
  for (const objects::ContainerPort& one : container.ports) {
    if (one.host_port <= 0) continue;
    ports.push_back({.ip = std::string(one.host_ip.empty() ? "0.0.0.0" : one.host_ip),
                     .protocol = std::string(one.protocol),
                     .port = static_cast<int32_t>(one.host_port)});
  }
}

// The empty struct if the part is absent.
template <typename T>
T decode_part(RawJson part) {
  Result<T> decoded = part.empty() ? T() : api::decode<T>(part.text);
  return decoded ? *std::move(decoded) : T();
}
template <typename T>
std::vector<T> decode_parts(RawJson list) {
  if (list.empty()) return {};
  Result<std::vector<T>> decoded = api::decode_list<T>(list.text);
  return decoded ? *std::move(decoded) : std::vector<T>();
}

void read_containers(const objects::PodSpec& spec, PodShape& shape) {
  for (const objects::Container& container : spec.init_containers) {
    shape.images.emplace_back(container.image);
    if (container.is_sidecar()) read_ports(container, shape.host_ports);
  }
  for (const objects::Container& container : spec.containers) {
    shape.images.emplace_back(container.image);
    read_ports(container, shape.host_ports);
  }
  shape.containers = shape.images.size();
  for (const Volume& volume : spec.volumes) {
    if (volume.image.empty()) continue;
    shape.images.push_back(decode_part<objects::ImageVolume>(volume.image).reference);
  }
}

std::optional<Disk> disk_of(const Volume& volume) {
  if (!volume.gce.empty()) {
    auto gce = decode_part<objects::GceDisk>(volume.gce);
    return Disk{.id = std::move(gce.name), .read_only = gce.read_only};
  }
  if (!volume.aws.empty()) {
    auto aws = decode_part<objects::AwsDisk>(volume.aws);
    return Disk{.kind = Disk::Kind::kAws, .id = std::move(aws.id), .read_only = aws.read_only};
  }
  if (!volume.iscsi.empty()) {
    auto iscsi = decode_part<objects::IscsiDisk>(volume.iscsi);
    return Disk{
        .kind = Disk::Kind::kIscsi, .id = std::move(iscsi.iqn), .read_only = iscsi.read_only};
  }
  if (!volume.rbd.empty()) {
    auto rbd = decode_part<objects::RbdDisk>(volume.rbd);
    return Disk{.kind = Disk::Kind::kRbd,
                .id = rbd.pool + "/" + rbd.image,
                .places = std::move(rbd.monitors),
                .read_only = rbd.read_only};
  }
  return std::nullopt;
}

void read_volumes(const objects::PodSpec& spec, std::string_view pod_name, PodShape& shape) {
  for (const Volume& volume : spec.volumes) {
    if (!is_placed(volume)) continue;
    // In-tree disks count against the limits of the CSI driver that replaces them.
    shape.has_volumes_of_its_own = true;
    if (std::optional<Disk> disk = disk_of(volume)) {
      shape.disks.push_back(std::move(*disk));
    } else if (!volume.claim.empty()) {
      shape.claims.push_back(decode_part<objects::ClaimVolume>(volume.claim).claim_name);
    } else if (!volume.ephemeral.empty()) {
      shape.claims.push_back(std::string(pod_name) + "-" + std::string(volume.name));
    }
  }
}

void read_affinity(const api::Metadata& metadata, RawJson part, PodShape& shape) {
  auto affinity = decode_part<objects::Affinity>(part);
  if (!affinity.nodes.required.empty()) {
    read_tree(affinity.nodes.required,
              [&](View required) { shape.node_affinity.emplace(required); });
  }
  for (const objects::PreferredSchedulingTerm& one : affinity.nodes.preferred) {
    shape.preferred_nodes.push_back(
        {.term = read_tree(one.preference, [](View term) { return NodeSelectorTerm(term); }),
         .weight = static_cast<int32_t>(one.weight)});
  }
  shape.affinity = required_terms(affinity.pods, metadata.name_space);
  shape.preferred_affinity = preferred_terms(affinity.pods, metadata.name_space);
  shape.anti_affinity = required_terms(affinity.anti_pods, metadata.name_space);
  shape.preferred_anti_affinity = preferred_terms(affinity.anti_pods, metadata.name_space);
}

}  // namespace pod_shape

bool AffinityTerm::matches(std::string_view name_space, std::span<const api::LabelPair> labels,
                           std::span<const api::LabelPair> namespace_labels) const {
  const bool named = std::binary_search(namespaces.begin(), namespaces.end(), name_space);
  return (named || namespace_selector.matches(namespace_labels)) && selector.matches(labels);
}

std::string shape_key(const api::Metadata& metadata, const objects::Pod& pod) {
  using namespace pod_shape;
  const objects::PodSpec& spec = pod.spec;
  std::string key;
  key.reserve(1024);
  put(key, metadata.name_space);
  for (const auto& [name, value] : metadata.labels) {
    key.append(name).push_back('=');
    put(key, value);
  }
  key.push_back('\n');
  if (const api::Metadata::Owner* owner = controller_of(metadata)) {
    put(key, owner->kind);
    put(key, owner->name);
  }
  put(key, spec.scheduler_name);
  put(key, std::to_string(spec.priority));
  put(key, spec.preemption_policy);
  for (const RawJson part : {spec.node_selector, spec.affinity, spec.tolerations, spec.spread,
                             spec.overhead, spec.resources.requests}) {
    put(key, part);
  }
  put_containers(key, spec.init_containers);
  put_containers(key, spec.containers);
  put_volumes(key, spec.volumes, metadata.name);
  put_resize(key, spec, pod.status);
  return key;
}

PodShape read_shape(const api::Metadata& metadata, const objects::Pod& pod, std::string key) {
  using namespace pod_shape;
  const objects::PodSpec& spec = pod.spec;
  PodShape shape;
  shape.name_space = metadata.name_space;
  shape.labels = Labels(metadata.labels);
  shape.scheduler_name = spec.scheduler_name;
  shape.priority = static_cast<int32_t>(spec.priority);
  shape.may_preempt = spec.preemption_policy != "Never";
  if (const api::Metadata::Owner* owner = controller_of(metadata)) {
    shape.controller_kind = owner->kind;
    shape.controller_name = owner->name;
  }
  shape.requests = read_requests(spec, pod.status);
  read_containers(spec, shape);
  shape.node_selector = read_tree(spec.node_selector, LabelSelector::from_map);
  shape.tolerations = decode_parts<kinds::pods::Toleration>(spec.tolerations);
  read_affinity(metadata, spec.affinity, shape);
  for (auto& one : decode_parts<objects::TopologySpreadConstraint>(spec.spread)) {
    shape.spread.push_back(constraint_of(std::move(one), metadata));
  }
  read_volumes(spec, metadata.name, shape);
  shape.key = std::move(key);
  return shape;
}

}  // namespace proa::scheduler
