#include "kubelet/node/agent/node_object.h"

#include <algorithm>
#include <array>

#include "api/object/edit.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/core/volumes/local_path.h"
#include "kubelet/host/machine.h"
#include "kubelet/node/agent/node_status.h"

namespace proa::kubelet {
namespace node_object {

constexpr std::string_view kAttachAnnotation =
    "volumes.kubernetes.io/controller-managed-attach-detach";

// The labels that upstream's kubelet brings to an existing Node (updateDefaultLabels).
constexpr std::array<std::string_view, 11> kReconciled{"kubernetes.io/hostname",
                                                       "topology.kubernetes.io/zone",
                                                       "topology.kubernetes.io/region",
                                                       "failure-domain.beta.kubernetes.io/zone",
                                                       "failure-domain.beta.kubernetes.io/region",
                                                       "node.kubernetes.io/instance-type",
                                                       "beta.kubernetes.io/instance-type",
                                                       "kubernetes.io/os",
                                                       "kubernetes.io/arch",
                                                       "beta.kubernetes.io/os",
                                                       "beta.kubernetes.io/arch"};

// The conditions that kubelets own; those of others are left alone.
constexpr std::array<std::string_view, 4> kConditions{"MemoryPressure", "DiskPressure",
                                                      "PIDPressure", "Ready"};

void write_pod_ranges(const std::vector<std::string>& ranges, const api::Edit& node) {
  if (ranges.empty()) return;
  const api::Edit spec = node.object("spec");
  spec.set("podCIDR", ranges.front());
  const api::Edit list = spec.array("podCIDRs");
  for (const std::string& range : ranges) {
    list.push(json::Value::string(list.arena(), range));
  }
}

Result<void> write_taints(const KubeletOptions& options, const api::Edit& node) {
  for (const std::string& text : options.taints) {
    const Taint taint = TRY(parse_taint(text));
    const api::Edit added = node.object("spec").array("taints").push_object();
    added.set("key", taint.key);
    if (!taint.value.empty()) added.set("value", taint.value);
    added.set("effect", taint.effect);
  }
  return {};
}

NodeLabels missing(api::View has, const NodeLabels& wanted) {
  NodeLabels missing;
  for (const auto& [name, value] : wanted) {
    if (!has[name].exists() || has[name].text() != value) missing[name] = value;
  }
  return missing;
}

NodeLabels missing_labels(const NodeChange& change) {
  return missing(change.before["metadata"]["labels"], change.labels);
}

NodeLabels missing_annotations(const NodeChange& change) {
  return missing(change.before["metadata"]["annotations"], change.annotations);
}

// A merged object: removed members are set to null.
void patch_object(const api::Edit& out, std::string_view name, api::View before, api::View after) {
  out.copy(name, after);
  const api::Edit changed = out.existing(name);
  for (const json::Member& member : before.members()) {
    if (!after[member.key].exists()) changed.set(member.key, json::Value());
  }
}

void patch_addresses(const api::Edit& out, api::View after) {
  out.copy("addresses", after);
  // Two addresses may be of one type, which the patch would take for one item.
  out.existing("addresses").push_object().set("$patch", "replace");
}

void patch_conditions(const api::Edit& out, api::View after) {
  const api::Edit conditions = out.array("conditions");
  for (const api::View condition : after.items()) {
    const std::string_view type = condition["type"].text();
    if (std::find(kConditions.begin(), kConditions.end(), type) == kConditions.end()) continue;
    conditions.push(condition.value()->copy(conditions.arena()));
  }
}

void patch_status(const api::Edit& out, api::View before, api::View after) {
  for (const json::Member& member : after.members()) {
    const api::View value(member.value);
    const api::View old = before[member.key];
    if (member.key == "conditions") {
      patch_conditions(out, value);
    } else if (old == value) {
      continue;
    } else if (member.key == "addresses") {
      patch_addresses(out, value);
    } else if (value.is(json::Kind::kObject)) {
      patch_object(out, member.key, old, value);
    } else {
      out.copy(member.key, value);
    }
  }
  for (const json::Member& member : before.members()) {
    if (!after[member.key].exists()) out.set(member.key, json::Value());
  }
}

}  // namespace node_object

Result<Taint> parse_taint(const std::string& text) {
  const Status wrong(Reason::kInvalid, "invalid taint spec: " + text);
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong;
  Taint taint{.effect = text.substr(colon + 1)};
  const std::string front = text.substr(0, colon);
  const std::optional<Halves> halves = split_once(front, '=');
  taint.key = halves ? std::string(halves->before) : front;
  if (halves) taint.value = halves->after;
  const bool known = taint.effect == "NoSchedule" || taint.effect == "PreferNoSchedule" ||
                     taint.effect == "NoExecute";
  if (!known || taint.key.empty()) return wrong;
  return taint;
}

NodeLabels required_labels() {
  return {{"kubernetes.io/os", "linux"}, {"kubernetes.io/arch", std::string(architecture())}};
}

NodeLabels initial_labels(const KubeletOptions& options) {
  NodeLabels labels = required_labels();
  labels["kubernetes.io/hostname"] = options.node_name.str();
  labels["beta.kubernetes.io/os"] = "linux";
  labels["beta.kubernetes.io/arch"] = architecture();
  for (const auto& [name, value] : options.labels) labels[name] = value;
  return labels;
}

NodeLabels adopted_labels(const KubeletOptions& options) {
  NodeLabels labels = initial_labels(options);
  std::erase_if(labels, [](const auto& label) {
    return std::find(node_object::kReconciled.begin(), node_object::kReconciled.end(),
                     label.first) == node_object::kReconciled.end();
  });
  return labels;
}

NodeLabels initial_annotations(const KubeletOptions& options) {
  NodeLabels annotations{{std::string(node_object::kAttachAnnotation), "true"}};
  if (!options.local_volumes.empty()) {
    annotations[std::string(kinds::kLocalPathRoot)] = options.local_volumes;
  }
  annotations.insert(options.annotations.begin(), options.annotations.end());
  return annotations;
}

Result<std::string> make_node(const KubeletOptions& options, const std::vector<std::string>& ranges,
                              api::View status) {
  json::Document made;
  made.root() = json::Value::object();
  const api::Edit node(made);
  node.set("apiVersion", "v1");
  node.set("kind", "Node");
  const api::Edit metadata = node.object("metadata");
  metadata.set("name", options.node_name.view());
  const api::Edit labels = metadata.object("labels");
  for (const auto& [name, value] : initial_labels(options)) labels.set(name, value);
  const api::Edit annotations = metadata.object("annotations");
  for (const auto& [name, value] : initial_annotations(options)) annotations.set(name, value);
  TRY(node_object::write_taints(options, node));
  node_object::write_pod_ranges(ranges, node);
  node.copy("status", status);
  return json::print(made.root());
}

bool is_needed(const NodeChange& change) {
  return !node_object::missing_labels(change).empty() ||
         !node_object::missing_annotations(change).empty() ||
         node_status_differs(change.before["status"], change.status);
}

std::string node_patch(const NodeChange& change) {
  json::Document made;
  made.root() = json::Value::object();
  const api::Edit patch(made);
  for (const auto& [name, value] : node_object::missing_labels(change)) {
    patch.object("metadata").object("labels").set(name, value);
  }
  for (const auto& [name, value] : node_object::missing_annotations(change)) {
    patch.object("metadata").object("annotations").set(name, value);
  }
  node_object::patch_status(patch.object("status"), change.before["status"], change.status);
  return json::print(made.root());
}

}  // namespace proa::kubelet
