#include "scheduler/model/pod_shape.h"

#include <algorithm>

#include "base/strings.h"
#include "json/print.h"

namespace proa::scheduler {
namespace pod_shape {

using api::LabelSelector;
using api::View;
using kinds::pods::NodeSelectorTerm;

// --- The key ---

// Kubernetes' own objects are printed in one order of fields, so equal text means equal content.
void put(std::string& key, View part) {
  if (part.exists()) json::print_to(key, *part.value());
  key.push_back('\n');
}

void put(std::string& key, std::string_view text) { key.append(text).push_back('\n'); }

bool has_host_ports(View container) {
  for (const View port : container["ports"].items()) {
    if (port["hostPort"].integer() > 0) return true;
  }
  return false;
}

void put_containers(std::string& key, View containers) {
  for (const View container : containers.items()) {
    put(key, container["image"].text());
    put(key, container["resources"]);
    put(key, container["restartPolicy"].text());
    if (has_host_ports(container)) put(key, container["ports"]);
  }
  key.push_back('\n');
}

// Volumes that decide where a pod may run. Those that the node makes itself (and the token volume
// of the service account, which has another name in each pod) don't.
bool is_placed(View volume) {
  for (const char* kind :
       {"persistentVolumeClaim", "ephemeral", "csi", "gcePersistentDisk", "awsElasticBlockStore",
        "iscsi", "rbd", "azureDisk", "cinder", "portworxVolume", "vsphereVolume", "azureFile"}) {
    if (volume[kind].exists()) return true;
  }
  return false;
}

bool has_ephemeral_claim(View spec) {
  for (const View volume : spec["volumes"].items()) {
    if (volume["ephemeral"].exists()) return true;
  }
  return false;
}

// `state` is the status of a container or of the whole pod. The kubelet always says what they have;
// that is worth a word only where it is not what was asked for, which is while a pod is resized.
void put_state(std::string& key, View asked, View state, std::string_view who) {
  const View running = state["resources"]["requests"];
  const View allocated = state["allocatedResources"];
  if (!state["resources"].exists()) return;
  if (running == asked && (!allocated.exists() || allocated == asked)) return;
  put(key, who);
  put(key, running);
  put(key, allocated);
}

void put_states(std::string& key, View containers, View states, char sort) {
  if (states.empty()) return;
  for (size_t i = 0; i < containers.size(); ++i) {
    const View container = containers.item(i);
    for (const View state : states.items()) {
      if (state["name"].text() != container["name"].text()) continue;
      put_state(key, container["resources"]["requests"], state, sort + std::to_string(i));
    }
  }
}

void put_resize(std::string& key, View spec, View status) {
  put_states(key, spec["initContainers"], status["initContainerStatuses"], 'i');
  put_states(key, spec["containers"], status["containerStatuses"], 'c');
  put_state(key, spec["resources"]["requests"], status, "pod");
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() == "PodResizePending") put(key, condition["reason"].text());
  }
}

// --- Its parts ---

const api::Metadata::Owner* controller_of(const api::Metadata& metadata) {
  for (const api::Metadata::Owner& owner : metadata.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

LabelSelector selector_of(View from) {
  Result<LabelSelector> selector = LabelSelector::from(from);
  return selector ? std::move(*selector) : LabelSelector::nothing();
}

AffinityTerm term_of(View from, std::string_view own_namespace, int64_t weight) {
  AffinityTerm term;
  term.topology_key = from["topologyKey"].text();
  term.selector = selector_of(from["labelSelector"]);
  term.weight = static_cast<int32_t>(weight);
  const View by_labels = from["namespaceSelector"];
  if (by_labels.exists()) term.namespace_selector = selector_of(by_labels);
  for (const View one : from["namespaces"].items()) term.namespaces.emplace_back(one.text());
  if (term.namespaces.empty() && !by_labels.exists()) term.namespaces.emplace_back(own_namespace);
  std::sort(term.namespaces.begin(), term.namespaces.end());
  return term;
}

std::vector<AffinityTerm> required_terms(View affinity, std::string_view own_namespace) {
  std::vector<AffinityTerm> terms;
  for (const View one : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
    terms.push_back(term_of(one, own_namespace, 0));
  }
  return terms;
}

std::vector<AffinityTerm> preferred_terms(View affinity, std::string_view own_namespace) {
  std::vector<AffinityTerm> terms;
  for (const View one : affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    terms.push_back(term_of(one["podAffinityTerm"], own_namespace, one["weight"].integer()));
  }
  return terms;
}

// The API server has merged matchLabelKeys into the selectors of pods that it created; those from
// before have the keys only.
LabelSelector with_label_keys(View constraint, const api::Metadata& metadata) {
  LabelSelector selector = selector_of(constraint["labelSelector"]);
  if (constraint["matchLabelKeys"].empty() || selector.matches_nothing()) return selector;
  std::string text = selector.str();
  for (const View key : constraint["matchLabelKeys"].items()) {
    const std::string_view* value = metadata.label(key.text());
    if (value == nullptr) continue;
    if (!text.empty()) text.push_back(',');
    text.append(key.text()).append("=").append(*value);
  }
  Result<LabelSelector> merged = LabelSelector::parse(text);
  return merged ? std::move(*merged) : selector;
}

SpreadConstraint constraint_of(View from, const api::Metadata& metadata) {
  SpreadConstraint constraint;
  constraint.topology_key = from["topologyKey"].text();
  constraint.selector = with_label_keys(from, metadata);
  constraint.max_skew = static_cast<int32_t>(from["maxSkew"].integer(1));
  constraint.min_domains = static_cast<int32_t>(from["minDomains"].integer(1));
  constraint.hard = from["whenUnsatisfiable"].text() != "ScheduleAnyway";
  constraint.honors_affinity = from["nodeAffinityPolicy"].text() != "Ignore";
  constraint.honors_taints = from["nodeTaintsPolicy"].text() == "Honor";
  return constraint;
}

void read_ports(View container, std::vector<HostPort>& ports) {
  for (const View one : container["ports"].items()) {
    const int64_t port = one["hostPort"].integer();
    if (port <= 0) continue;
    const std::string_view ip = one["hostIP"].text();
    ports.push_back({.ip = std::string(ip.empty() ? "0.0.0.0" : ip),
                     .protocol = std::string(one["protocol"].text("TCP")),
                     .port = static_cast<int32_t>(port)});
  }
}

void read_containers(View spec, PodShape& shape) {
  for (const View container : spec["initContainers"].items()) {
    shape.images.emplace_back(container["image"].text());
    if (container["restartPolicy"].text() == "Always") read_ports(container, shape.host_ports);
  }
  for (const View container : spec["containers"].items()) {
    shape.images.emplace_back(container["image"].text());
    read_ports(container, shape.host_ports);
  }
  shape.containers = shape.images.size();
  for (const View volume : spec["volumes"].items()) {
    if (volume["image"].exists()) shape.images.emplace_back(volume["image"]["reference"].text());
  }
}

std::optional<Disk> disk_of(View volume) {
  Disk disk;
  if (const View gce = volume["gcePersistentDisk"]; gce.exists()) {
    disk.id = gce["pdName"].text();
    disk.read_only = gce["readOnly"].flag();
  } else if (const View aws = volume["awsElasticBlockStore"]; aws.exists()) {
    disk.kind = Disk::Kind::kAws;
    disk.id = aws["volumeID"].text();
    disk.read_only = aws["readOnly"].flag();
  } else if (const View iscsi = volume["iscsi"]; iscsi.exists()) {
    disk.kind = Disk::Kind::kIscsi;
    disk.id = iscsi["iqn"].text();
    disk.read_only = iscsi["readOnly"].flag();
  } else if (const View rbd = volume["rbd"]; rbd.exists()) {
    disk.kind = Disk::Kind::kRbd;
    disk.id = std::string(rbd["pool"].text()) + "/" + std::string(rbd["image"].text());
    disk.read_only = rbd["readOnly"].flag();
    for (const View one : rbd["monitors"].items()) disk.places.emplace_back(one.text());
  } else {
    return std::nullopt;
  }
  return disk;
}

void read_volumes(View spec, std::string_view pod_name, PodShape& shape) {
  for (const View volume : spec["volumes"].items()) {
    if (!is_placed(volume)) continue;
    if (std::optional<Disk> disk = disk_of(volume)) {
      shape.disks.push_back(std::move(*disk));
      // In-tree disks count for the limits of the CSI driver that took their place.
      shape.has_volumes_of_its_own = true;
      continue;
    }
    shape.has_volumes_of_its_own = true;
    if (const View claim = volume["persistentVolumeClaim"]; claim.exists()) {
      shape.claims.emplace_back(claim["claimName"].text());
    } else if (volume["ephemeral"].exists()) {
      shape.claims.push_back(std::string(pod_name) + "-" + std::string(volume["name"].text()));
    }
  }
}

void read_affinity(const api::Metadata& metadata, View spec, PodShape& shape) {
  const View affinity = spec["affinity"];
  const View nodes = affinity["nodeAffinity"];
  const View required = nodes["requiredDuringSchedulingIgnoredDuringExecution"];
  if (required.exists()) shape.node_affinity.emplace(required);
  for (const View one : nodes["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    shape.preferred_nodes.push_back({.term = NodeSelectorTerm(one["preference"]),
                                     .weight = static_cast<int32_t>(one["weight"].integer())});
  }
  shape.affinity = required_terms(affinity["podAffinity"], metadata.name_space);
  shape.preferred_affinity = preferred_terms(affinity["podAffinity"], metadata.name_space);
  shape.anti_affinity = required_terms(affinity["podAntiAffinity"], metadata.name_space);
  shape.preferred_anti_affinity = preferred_terms(affinity["podAntiAffinity"], metadata.name_space);
}

}  // namespace pod_shape

bool AffinityTerm::matches(std::string_view name_space, std::span<const api::LabelPair> labels,
                           std::span<const api::LabelPair> namespace_labels) const {
  const bool named = std::binary_search(namespaces.begin(), namespaces.end(), name_space);
  return (named || namespace_selector.matches(namespace_labels)) && selector.matches(labels);
}

std::string shape_key(const api::Metadata& metadata, api::View pod) {
  using namespace pod_shape;
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
  const View spec = pod["spec"];
  for (const char* field :
       {"schedulerName", "priority", "preemptionPolicy", "nodeSelector", "affinity", "tolerations",
        "topologySpreadConstraints", "overhead", "resources"}) {
    put(key, spec[field]);
  }
  put_containers(key, spec["initContainers"]);
  put_containers(key, spec["containers"]);
  for (const View volume : spec["volumes"].items()) {
    if (is_placed(volume) || volume["image"].exists()) put(key, volume);
  }
  if (has_ephemeral_claim(spec)) put(key, metadata.name);
  put_resize(key, spec, pod["status"]);
  return key;
}

PodShape read_shape(const api::Metadata& metadata, api::View pod, std::string key) {
  using namespace pod_shape;
  const View spec = pod["spec"];
  PodShape shape;
  shape.name_space = metadata.name_space;
  shape.labels = Labels(metadata.labels);
  shape.scheduler_name = spec["schedulerName"].text();
  shape.priority = static_cast<int32_t>(spec["priority"].integer());
  shape.may_preempt = spec["preemptionPolicy"].text() != "Never";
  if (const api::Metadata::Owner* owner = controller_of(metadata)) {
    shape.controller_kind = owner->kind;
    shape.controller_name = owner->name;
  }
  shape.requests = read_requests(spec, pod["status"]);
  read_containers(spec, shape);
  shape.node_selector = LabelSelector::from_map(spec["nodeSelector"]);
  shape.tolerations = kinds::pods::read_tolerations(spec);
  read_affinity(metadata, spec, shape);
  for (const View one : spec["topologySpreadConstraints"].items()) {
    shape.spread.push_back(constraint_of(one, metadata));
  }
  read_volumes(spec, metadata.name, shape);
  shape.key = std::move(key);
  return shape;
}

}  // namespace proa::scheduler
