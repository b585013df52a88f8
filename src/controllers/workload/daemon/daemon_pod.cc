#include "controllers/workload/daemon/daemon_pod.h"

#include "controllers/pods/pod_control.h"
#include "controllers/workload/history/revisions.h"

namespace proa::controllers {
namespace daemon_pod {

using api::Edit;
using api::View;

constexpr std::string_view kGenerationLabel = "pod-template-generation";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

struct Target {
  std::string node;
};

// Replaces a toleration that differs only in its time, or appends it.
void put_toleration(Edit tolerations, std::string_view key, std::string_view effect) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const Edit one = tolerations.item(i);
    const bool same = one["key"].text() == key && one["effect"].text() == effect &&
                      one["operator"].text() == "Exists" && one["value"].text().empty();
    if (!same) continue;
    one.remove("tolerationSeconds");
    return;
  }
  const Edit added = tolerations.push_object();
  added.set("key", key);
  added.set("operator", "Exists");
  added.set("effect", effect);
}

std::string named_node(View pod_spec) {
  const View terms = pod_spec["affinity"]["nodeAffinity"][kRequired]["nodeSelectorTerms"];
  for (const View term : terms.items()) {
    for (const View field : term["matchFields"].items()) {
      if (field["key"].text() != "metadata.name" || field["operator"].text() != "In") continue;
      return field["values"].size() == 1 ? std::string(field["values"].item(0).text()) : "";
    }
  }
  return {};
}

bool label_is(const api::Object& pod, std::string_view label, std::string_view value) {
  const std::string_view* found = pod.metadata().label(label);
  return found != nullptr && *found == value;
}

}  // namespace daemon_pod

void put_daemon_tolerations(api::Edit pod_spec) {
  const api::Edit list = pod_spec.array("tolerations");
  daemon_pod::put_toleration(list, "node.kubernetes.io/not-ready", "NoExecute");
  daemon_pod::put_toleration(list, "node.kubernetes.io/unreachable", "NoExecute");
  daemon_pod::put_toleration(list, "node.kubernetes.io/disk-pressure", "NoSchedule");
  daemon_pod::put_toleration(list, "node.kubernetes.io/memory-pressure", "NoSchedule");
  daemon_pod::put_toleration(list, "node.kubernetes.io/pid-pressure", "NoSchedule");
  daemon_pod::put_toleration(list, "node.kubernetes.io/unschedulable", "NoSchedule");
  // Pods in the host network do not need the pod network.
  if (pod_spec["hostNetwork"].flag()) {
    daemon_pod::put_toleration(list, "node.kubernetes.io/network-unavailable", "NoSchedule");
  }
}

bool DaemonVersion::is_of(const api::Object& pod) const {
  if (!hash.empty() && daemon_pod::label_is(pod, kRevisionHashLabel, hash)) return true;
  return generation &&
         daemon_pod::label_is(pod, daemon_pod::kGenerationLabel, std::to_string(*generation));
}

json::Document new_daemon_pod(const Owner& set, api::View pod_template, std::string_view node,
                              const DaemonVersion& version) {
  json::Document document = pod_from_template(set, pod_template);
  const api::Edit pod(document);
  const api::Edit labels = pod.object("metadata").object("labels");
  if (version.generation) {
    labels.set(daemon_pod::kGenerationLabel, std::to_string(*version.generation));
  }
  if (!version.hash.empty()) labels.set(kRevisionHashLabel, version.hash);
  const api::Edit spec = pod.object("spec");
  put_daemon_tolerations(spec);
  const api::Edit required =
      spec.object("affinity").object("nodeAffinity").object(daemon_pod::kRequired);
  // Existing terms were applied when the node was chosen.
  required.set("nodeSelectorTerms", json::Value::array());
  const api::Edit field =
      required.array("nodeSelectorTerms").push_object().array("matchFields").push_object();
  field.set("key", "metadata.name");
  field.set("operator", "In");
  field.array("values").push(json::Value::string(document.arena(), node));
  return document;
}

const std::string& target_node(const api::Object& pod) {
  using daemon_pod::Target;
  return pod
      .kept<Target>([&] {
        Target target;
        const Result<json::Document> document = pod.document();
        if (!document) return target;
        const api::View spec = api::View(document->root())["spec"];
        target.node = spec["nodeName"].text();
        if (target.node.empty()) target.node = daemon_pod::named_node(spec);
        return target;
      })
      .node;
}

}  // namespace proa::controllers
