#include "controllers/workload/stateful/stateful_pod.h"

#include <algorithm>

#include "controllers/pods/pod_control.h"
#include "controllers/workload/history/revisions.h"
#include "controllers/workload/stateful/ordinals.h"

namespace proa::controllers {
namespace stateful_pod {

using api::Edit;
using api::View;

// The claims that a pod mounts: names of volumes and claims.
struct MountedClaims {
  std::vector<std::pair<std::string, std::string>> list;
};

const MountedClaims& mounted_claims(const api::Object& pod) {
  return pod.kept<MountedClaims>([&] {
    MountedClaims mounted;
    const Result<json::Document> document = pod.document();
    if (!document) return mounted;
    for (const View volume : View(document->root())["spec"]["volumes"].items()) {
      const View claim = volume["persistentVolumeClaim"]["claimName"];
      if (claim) mounted.list.emplace_back(volume["name"].text(), claim.text());
    }
    return mounted;
  });
}

}  // namespace stateful_pod

json::Document new_stateful_pod(const StatefulSource& set, api::View pod_template,
                                std::string_view revision, int64_t ordinal) {
  json::Document pod = pod_from_template(set.owner, pod_template);
  const api::Edit root(pod);
  put_stateful_identity(root, set.facts, ordinal);
  root.object("metadata").object("labels").set(kRevisionHashLabel, revision);
  const api::Edit spec = root.object("spec");
  spec.set("hostname", stateful_pod_name(set.facts.name, ordinal));
  if (!set.facts.service.empty()) spec.set("subdomain", set.facts.service);
  put_stateful_storage(root, set.facts, ordinal);
  return pod;
}

json::Document new_stateful_claim(const StatefulSource& set, size_t index, int64_t ordinal) {
  const api::View from = set.root["spec"]["volumeClaimTemplates"].item(index);
  json::Document document;
  document.root() = from.value()->copy(document.arena());
  const api::Edit claim(document);
  claim.set("apiVersion", "v1");
  claim.set("kind", "PersistentVolumeClaim");
  claim.remove("status");
  const api::Edit metadata = claim.object("metadata");
  metadata.set("name",
               stateful_claim_name(set.facts.claim_templates[index], set.facts.name, ordinal));
  metadata.set("namespace", set.owner.object.metadata().name_space);
  for (const json::Member& label : set.root["spec"]["selector"]["matchLabels"].members()) {
    metadata.object("labels").set(label.key, api::View(label.value).text());
  }
  if (wanted_claim_owner(set.facts.retention, false) == ClaimOwner::kSet) {
    put_owner_reference(metadata, set.owner);
  }
  return document;
}

bool has_stateful_identity(const api::Object& pod) {
  const std::string_view* label = pod.metadata().label(kStatefulPodNameLabel);
  return label != nullptr && *label == pod.metadata().name;
}

bool has_stateful_storage(const api::Object& pod, const StatefulFacts& facts, int64_t ordinal) {
  if (facts.claim_templates.empty()) return true;
  const auto& mounted = stateful_pod::mounted_claims(pod).list;
  return std::all_of(facts.claim_templates.begin(), facts.claim_templates.end(),
                     [&](const std::string& name) {
                       const std::pair wanted(name, stateful_claim_name(name, facts.name, ordinal));
                       return std::find(mounted.begin(), mounted.end(), wanted) != mounted.end();
                     });
}

void put_stateful_identity(api::Edit pod, const StatefulFacts& facts, int64_t ordinal) {
  const api::Edit metadata = pod.object("metadata");
  const std::string name = stateful_pod_name(facts.name, ordinal);
  metadata.set("name", name);
  const api::Edit labels = metadata.object("labels");
  labels.set(kStatefulPodNameLabel, name);
  labels.set(kPodIndexLabel, std::to_string(ordinal));
}

void put_stateful_storage(api::Edit pod, const StatefulFacts& facts, int64_t ordinal) {
  if (facts.claim_templates.empty()) return;
  const api::Edit spec = pod.object("spec");
  const json::Value others = spec.array("volumes").value().copy(spec.arena());
  spec.set("volumes", json::Value::array());
  const api::Edit volumes = spec.array("volumes");
  for (const std::string& name : facts.claim_templates) {
    const api::Edit volume = volumes.push_object();
    volume.set("name", name);
    volume.object("persistentVolumeClaim")
        .set("claimName", stateful_claim_name(name, facts.name, ordinal));
  }
  for (const api::View volume : others.items()) {
    const auto& ours = facts.claim_templates;
    if (std::find(ours.begin(), ours.end(), volume["name"].text()) != ours.end()) continue;
    volumes.push(volume.value()->copy(spec.arena()));
  }
}

}  // namespace proa::controllers
