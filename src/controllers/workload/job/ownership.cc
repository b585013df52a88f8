#include "controllers/workload/job/ownership.h"

#include "base/strings.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers::jobs {
namespace job_ownership {

using api::Edit;

constexpr std::string_view kOrphanPrefix = "pods/";

// A patch with the uid as precondition.
json::Document change_of(const api::Object& pod) {
  json::Document change;
  change.root() = json::Value::object();
  Edit(change).object("metadata").set("uid", pod.metadata().uid);
  return change;
}

void take_finalizer(Edit metadata) {
  metadata.array("$deleteFromPrimitiveList/finalizers")
      .push(json::Value::string(metadata.arena(), kTrackingFinalizer));
}

}  // namespace job_ownership

client::Key orphan_key(const api::PodKey& pod) {
  return {pod.name_space, std::string(job_ownership::kOrphanPrefix) + pod.name};
}

std::optional<api::PodKey> pod_of_orphan_key(const client::Key& key) {
  if (!key.name.starts_with(job_ownership::kOrphanPrefix)) return std::nullopt;
  return api::PodKey{key.name_space, key.name.substr(job_ownership::kOrphanPrefix.size())};
}

PodOwnership::PodOwnership(const ControllerContext& context, Freshness& freshness)
    : client_(context.client),
      pods_resource_(*context.schema.find_resource("", "v1", "pods")),
      jobs_resource_(*context.schema.find_resource("batch", "v1", "jobs")),
      pods_(context.informers.by_controller("", "pods")),
      jobs_(context.informers.of("batch", "jobs")),
      control_(context),
      freshness_(freshness) {}

std::vector<api::ObjectPtr> PodOwnership::owned_by(const api::Object& job) const {
  return pods_.cache().find("controller", std::string(job.metadata().uid));
}

Result<std::vector<api::ObjectPtr>> PodOwnership::gather(const Owner& job,
                                                         const api::LabelSelector& selector) {
  std::vector<api::ObjectPtr> gathered;
  const bool leaving = job.object.metadata().being_deleted;
  for (api::ObjectPtr& pod : owned_by(job.object)) {
    if (selector.matches(pod->metadata().labels)) {
      gathered.push_back(std::move(pod));
    } else if (!leaving) {
      TRY(release(job, *pod));
    } else if (job_pod(*pod).tracked) {
      // The job is being deleted and does not count it; in foreground deletion it would wait for
      // the pod.
      TRY(remove_finalizer(client::Key::of(job.object), *pod));
    }
  }
  if (leaving) return gathered;
  std::optional<bool> allowed;
  const std::string orphans = orphans_of(job.object.metadata().name_space);
  for (const api::ObjectPtr& pod : pods_.cache().find("controller", orphans)) {
    const api::Metadata& metadata = pod->metadata();
    if (metadata.being_deleted || !selector.matches(metadata.labels)) continue;
    if (!allowed) allowed = TRY(may_adopt(job));
    if (!*allowed) break;
    api::ObjectPtr adopted = TRY(adopt(job, *pod));
    if (adopted != nullptr) gathered.push_back(std::move(adopted));
  }
  return gathered;
}

// Reads the job from the server: the cache may be stale.
Result<bool> PodOwnership::may_adopt(const Owner& job) const {
  const auto now = client_.get(place_of(jobs_resource_, client::Key::of(job.object)));
  if (now.is(Reason::kNotFound)) return false;
  if (!now) return now.status();
  return (*now)->metadata().uid == job.object.metadata().uid && !(*now)->metadata().being_deleted;
}

// Adds owner and finalizer in one write: an owned pod without finalizer counts as counted.
Result<api::ObjectPtr> PodOwnership::adopt(const Owner& job, const api::Object& pod) {
  json::Document change = job_ownership::change_of(pod);
  const api::Edit metadata = api::Edit(change).object("metadata");
  put_owner_reference(metadata, job);
  metadata.array("finalizers").push(json::Value::string(change.arena(), kTrackingFinalizer));
  Result<api::ObjectPtr> adopted = patch(pod, std::move(change));
  freshness_.tried(client::Key::of(job.object), adopted);
  // Deleted, or replaced by another pod.
  if (adopted.is(Reason::kNotFound) || adopted.is(Reason::kConflict)) return api::ObjectPtr();
  return adopted;
}

Result<void> PodOwnership::release(const Owner& job, const api::Object& pod) {
  json::Document change = job_ownership::change_of(pod);
  const api::Edit metadata = api::Edit(change).object("metadata");
  const api::Edit reference = metadata.array("ownerReferences").push_object();
  reference.set("$patch", "delete");
  reference.set("uid", job.object.metadata().uid);
  job_ownership::take_finalizer(metadata);
  const Result<api::ObjectPtr> released = patch(pod, std::move(change));
  freshness_.tried(client::Key::of(job.object), released);
  // Deleted, or already released.
  if (released || released.is(Reason::kNotFound) || released.is(Reason::kInvalid)) return {};
  return released.status();
}

Result<void> PodOwnership::stop(const Owner& job, const api::Object& pod) {
  Result<void> removed = control_.remove_unchanged(job, pod);
  freshness_.tried_to_remove(client::Key::of(job.object), pod, removed);
  return removed;
}

Result<void> PodOwnership::withdraw(const Owner& job, const api::Object& pod) {
  // Only at this resourceVersion: a pod that has ended since must be counted.
  if (job_pod(pod).tracked) {
    TRY(remove_finalizer(client::Key::of(job.object), pod, pod.metadata().resource_version));
  }
  Result<void> removed = control_.remove(job, pod);
  freshness_.tried_to_remove(client::Key::of(job.object), pod, removed);
  return removed;
}

Result<void> PodOwnership::remove_finalizer(const client::Key& job, const api::Object& pod,
                                            std::string_view only_at) {
  json::Document change = job_ownership::change_of(pod);
  const api::Edit metadata = api::Edit(change).object("metadata");
  job_ownership::take_finalizer(metadata);
  if (!only_at.empty()) metadata.set("resourceVersion", only_at);
  const Result<api::ObjectPtr> patched = patch(pod, std::move(change));
  freshness_.tried(job, patched);
  // Not counted again while the cache still has it.
  if (patched.is(Reason::kNotFound)) freshness_.gone(job, pod);
  return unless_gone(patched);
}

Result<void> PodOwnership::remove_orphan_finalizer(const api::PodKey& key) {
  const api::ObjectPtr pod = pods_.cache().get({key.name_space, key.name});
  if (pod == nullptr || !job_pod(*pod).tracked) return {};
  if (!TRY(is_orphan(*pod))) return {};
  json::Document change = job_ownership::change_of(*pod);
  const api::Edit metadata = api::Edit(change).object("metadata");
  job_ownership::take_finalizer(metadata);
  // Only at this resourceVersion: a job may be adopting it.
  metadata.set("resourceVersion", pod->metadata().resource_version);
  return unless_gone(patch(*pod, std::move(change)));
}

Result<bool> PodOwnership::is_orphan(const api::Object& pod) const {
  const api::Metadata::Owner* owner = controller_of(pod);
  if (owner == nullptr) return true;
  if (owner->kind != "Job" || owner->api_version != "batch/v1") return false;
  const client::Key key{std::string(pod.metadata().name_space), std::string(owner->name)};
  const api::ObjectPtr job = jobs_.cache().get(key);
  if (job == nullptr || job->metadata().uid != owner->uid) return is_gone(key, owner->uid, pod);
  const JobFacts& facts = job_facts(*job);
  return !facts.spec.managed_elsewhere && !facts.finished.empty();
}

// A cache older than the pod may not contain its job yet.
Result<bool> PodOwnership::is_gone(const client::Key& job, std::string_view uid,
                                   const api::Object& pod) const {
  if (jobs_.progress() >= parse_int(pod.metadata().resource_version).value_or(0)) return true;
  const Result<api::ObjectPtr> now = client_.get(place_of(jobs_resource_, job));
  if (now.is(Reason::kNotFound)) return true;
  if (!now) return now.status();
  return (*now)->metadata().uid != uid;
}

Result<api::ObjectPtr> PodOwnership::patch(const api::Object& pod, json::Document change) {
  return client_.patch(place_of(pods_resource_, client::Key::of(pod)), api::PatchType::kStrategic,
                       std::move(change), {});
}

}  // namespace proa::controllers::jobs
