#include "kubelet/assembly/pod_sources.h"

#include <algorithm>
#include <set>

#include "base/log.h"

namespace proa::kubelet {
namespace pod_sources {

const Log kLog{"kubelet"};

// Whether a change of a pod needs a reconcile. Statuses are mostly our own writes; of what others
// write there, conditions count for pods with readiness gates, and a final phase for all.
bool needs_reconcile(const Pod& before, const Pod& after) {
  for (const std::string_view part :
       {"labels", "annotations", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (!(before.metadata()[part] == after.metadata()[part])) return true;
  }
  return !(before.spec() == after.spec()) || after.fields().spec.readiness_gates ||
         before.is_finished() != after.is_finished();
}

}  // namespace pod_sources

PodSources::PodSources(Core& core, PodParts& parts)
    : core_(core),
      parts_(parts),
      pods_(core.context.client, core.context.clock, core.context.random,
            {.place = {.resource = &core_resource(core.context.schema, "pods")},
             .labels = {},
             .fields = "spec.nodeName=" + core.context.options.node_name.str()}),
      services_(core.context.client, core.context.clock, core.context.random,
                {.place = {.resource = &core_resource(core.context.schema, "services")}}) {
  pods_.add_handler([this](const client::Change& change) { pod_changed(change); });
  core_.poller.add(pods_);
  core_.poller.add(services_);
}

Result<void> PodSources::follow_manifest_folder() {
  const KubeletOptions& options = core_.context.options;
  if (options.manifests.empty()) return {};
  TRY(core_.context.files.make_dirs(options.manifests, 0700));
  manifests_ = TRY(follow_manifests(
      core_.context.loops.at(0), core_.context.files, options.manifests, options.node_name,
      core_.context.clock, [this](const std::vector<PodPtr>& pods) { manifests_changed(pods); }));
  return {};
}

void PodSources::pod_changed(const client::Change& change) {
  const bool replaced = change.before != nullptr && change.after != nullptr &&
                        change.before->metadata().uid != change.after->metadata().uid;
  if (change.before != nullptr && (change.after == nullptr || replaced)) {
    const Result<PodPtr> pod = Pod::read(change.before, Pod::Source::kApi);
    if (pod.ok()) remove(*pod);
  }
  if (change.after == nullptr) return;
  const Result<PodPtr> pod = Pod::read(change.after, Pod::Source::kApi);
  if (pod.ok()) {
    put(*pod);
  } else {
    pod_sources::kLog.error("reading a pod failed",
                            {{"pod", change.key.str()}, {"error", pod.status()}});
  }
}

void PodSources::put(const PodPtr& pod) {
  if (pod->is_mirror()) {
    parts_.registry.put_mirror(pod);
    parts_.statuses->seen(pod);
    core_.enqueue_mirror(pod->key());
    return;
  }
  const PodPtr before = parts_.registry.get(pod->uid()).pod;
  parts_.registry.put(pod);
  parts_.objects.hold(pod);
  parts_.statuses->seen(pod);
  const bool changed = before == nullptr || pod_sources::needs_reconcile(*before, *pod);
  if (changed) core_.enqueue(pod->uid());
}

void PodSources::remove(const PodPtr& pod) {
  if (pod->is_mirror()) {
    parts_.registry.drop_mirror(*pod);
    core_.enqueue_mirror(pod->key());
    return;
  }
  parts_.registry.drop(pod);
  parts_.objects.release(pod->uid());
  core_.enqueue(pod->uid());
}

// On a loop's thread.
void PodSources::manifests_changed(const std::vector<PodPtr>& pods) {
  std::set<api::PodKey> mirrors;
  for (const PodPtr& before : parts_.registry.pods()) {
    if (!before->is_static()) continue;
    const bool stays = std::any_of(pods.begin(), pods.end(), [&before](const PodPtr& pod) {
      return pod->uid() == before->uid();
    });
    if (stays) continue;
    parts_.registry.drop(before);
    core_.enqueue(before->uid());
    mirrors.insert(before->key());
  }
  for (const PodPtr& pod : pods) {
    parts_.registry.put(pod);
    core_.enqueue(pod->uid());
    mirrors.insert(pod->key());
  }
  for (const api::PodKey& mirror : mirrors) core_.enqueue_mirror(mirror);
}

std::vector<api::ObjectPtr> PodSources::services_for(std::string_view name_space) const {
  std::vector<api::ObjectPtr> found = services_.cache().list(name_space);
  if (name_space != "default") {
    const api::ObjectPtr master = services_.cache().get({"default", "kubernetes"});
    if (master != nullptr) found.push_back(master);
  }
  return found;
}

}  // namespace proa::kubelet
