#include "kubelet/workers/state/allocations.h"

#include <utility>

#include "kubelet/host/cgroups/pod_resources.h"
#include "kubelet/model/reference.h"
#include "kubelet/pod/allocation/allocation.h"
#include "kubelet/workers/state/registry.h"

namespace proa::kubelet {
namespace allocations {

// Upstream's retry interval, for changes without an event.
constexpr Duration kBetweenTries = std::chrono::minutes(3);
// While the pods of this node are not known yet.
constexpr Duration kBetweenLooks = std::chrono::seconds(1);

// Whether a pod asks for more processors or memory than another state of it.
bool asks_for_more(const Pod& pod, const Pod& other) {
  const auto wanted = pod_requests(pod.spec(), Overhead::kCounted);
  const auto given = pod_requests(other.spec(), Overhead::kCounted);
  for (const std::string_view name : {"cpu", "memory"}) {
    const auto more = wanted.find(name);
    const auto less = given.find(name);
    if (more == wanted.end()) continue;
    if (less == given.end() ? !more->second.is_zero() : more->second > less->second) return true;
  }
  return false;
}

}  // namespace allocations

Refusal Allocations::admit(const PodPtr& pod, bool runs) {
  MutexLock lock(mutex_);
  const PodPtr given = allocated_now(pod);
  const api::ObjectPtr node = context_.node();
  if (!runs && node != nullptr && !pod->is_finished()) {
    Refusal refusal = proa::kubelet::admit(*given, *node, admitted_now(pod->uid()));
    if (!refusal.reason.empty()) return refusal;
  }
  const auto [place, is_new] = entries_.try_emplace(pod->uid());
  if (is_new) place->second.conditions = read_resize_conditions(pod->status());
  place->second.given = given;
  context_.registry.admit(pod->uid());
  return {};
}

PodPtr Allocations::allocated_now(const PodPtr& pod) const {
  const auto found = entries_.find(pod->uid());
  if (found == entries_.end()) return allocated_by_status(pod);
  return with_resources_of(pod, *found->second.given);
}

PodPtr Allocations::allocated(const PodPtr& pod) const {
  MutexLock lock(mutex_);
  return allocated_now(pod);
}

std::vector<PodPtr> Allocations::admitted_now(api::UidView except) const {
  std::vector<PodPtr> pods = context_.registry.admitted(except);
  for (PodPtr& pod : pods) {
    pod = allocated_now(pod);
    const auto found = entries_.find(pod->uid());
    if (found == entries_.end() || found->second.before == nullptr) continue;
    pod = with_larger_requests(pod, *found->second.before);
  }
  return pods;
}

std::vector<PodPtr> Allocations::admitted(api::UidView except) const {
  MutexLock lock(mutex_);
  return admitted_now(except);
}

std::optional<Duration> Allocations::settle(const PodPtr& pod) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(pod->uid());
  if (found == entries_.end()) return std::nullopt;
  if (has_same_resources(*pod, *found->second.given)) {
    pending_.erase(pod->uid());
    found->second.conditions.pending.reset();
    return std::nullopt;
  }
  pending_.insert(pod->uid());
  if (!context_.pods_synced()) return allocations::kBetweenLooks;
  retry_all(pod->uid());
  if (!pending_.contains(pod->uid())) return std::nullopt;
  return allocations::kBetweenTries;
}

void Allocations::retry() {
  MutexLock lock(mutex_);
  if (!pending_.empty() && context_.pods_synced()) retry_all({});
}

std::vector<PendingResize> Allocations::in_order() const {
  std::vector<PendingResize> pending;
  for (const api::Uid& uid : pending_) {
    const PodPtr pod = context_.registry.get(uid).pod;
    const auto found = entries_.find(uid);
    if (pod == nullptr || found == entries_.end()) continue;
    const Entry& entry = found->second;
    PendingResize& one = pending.emplace_back(PendingResize{.uid = uid});
    one.grows = allocations::asks_for_more(*pod, *entry.given);
    one.priority = pod->fields().spec.priority;
    one.guaranteed = quality_of_service(*pod) == "Guaranteed";
    if (entry.conditions.pending) one.since = entry.conditions.pending->since;
  }
  sort_resizes(pending);
  return pending;
}

// `asks`: the pod that is being reconciled anyway.
void Allocations::retry_all(api::UidView asks) {
  for (const PendingResize& one : in_order()) {
    const Registry::Entry wanted = context_.registry.get(one.uid);
    if (wanted.gone || wanted.pod->deleted_at()) continue;
    const Outcome outcome = try_to_give(wanted.pod, entries_.at(one.uid));
    if (outcome == Outcome::kChanged && one.uid != asks) context_.enqueue(one.uid);
  }
}

Allocations::Outcome Allocations::try_to_give(const PodPtr& pod, Entry& entry) {
  if (has_same_resources(*pod, *entry.given)) {
    pending_.erase(pod->uid());
    const bool waited = entry.conditions.pending.has_value();
    entry.conditions.pending.reset();
    return waited ? Outcome::kChanged : Outcome::kSame;
  }
  const api::ObjectPtr node = context_.node();
  if (node == nullptr) return Outcome::kSame;
  const Refusal refusal = proa::kubelet::admit(*pod, *node, admitted_now(pod->uid()));
  if (!refusal.reason.empty()) return put_off(*pod, refusal, entry);
  entry.before =
      entry.before == nullptr ? entry.given : with_larger_requests(entry.given, *entry.before);
  entry.given = pod;
  pending_.erase(pod->uid());
  const Time now = context_.clock.now();
  entry.conditions = {
      .in_progress = ResizeCondition{.generation = pod->generation(), .since = now, .told = now}};
  context_.events.normal(reference_to(*pod), "ResizeStarted",
                         resize_message("started", *pod, pod->generation(), {}));
  return Outcome::kChanged;
}

Allocations::Outcome Allocations::put_off(const Pod& pod, const Refusal& refusal, Entry& entry) {
  std::optional<ResizeCondition>& pending = entry.conditions.pending;
  const Time now = context_.clock.now();
  const bool is_new = !pending || pending->reason != "Deferred";
  if (!is_new && pending->message == refusal.message && pending->generation == pod.generation())
    return Outcome::kSame;
  const bool is_news = is_new || pending->generation != pod.generation();
  pending = {.reason = "Deferred",
             .message = refusal.message,
             .generation = pod.generation(),
             .since = is_new ? now : pending->since,
             .told = now};
  if (is_news) {
    context_.events.warning(reference_to(pod), "ResizeDeferred",
                            resize_message(refusal.reason, pod, pod.generation(), refusal.message));
  }
  return Outcome::kChanged;
}

// Null when it was given something else since.
Allocations::Entry* Allocations::find_given(const Pod& pod) {
  const auto found = entries_.find(pod.uid());
  if (found == entries_.end() || !has_same_resources(pod, *found->second.given)) return nullptr;
  return &found->second;
}

void Allocations::begin(const PodPtr& pod) {
  MutexLock lock(mutex_);
  Entry* entry = find_given(*pod);
  if (entry == nullptr || entry->conditions.in_progress) return;
  const Time now = context_.clock.now();
  entry->conditions.in_progress = {.generation = pod->generation(), .since = now, .told = now};
}

void Allocations::complete(const PodPtr& pod) {
  MutexLock lock(mutex_);
  Entry* entry = find_given(*pod);
  if (entry == nullptr || !entry->conditions.in_progress) return;
  const int64_t generation = entry->conditions.in_progress->generation;
  entry->conditions.in_progress.reset();
  context_.events.normal(reference_to(*pod), "ResizeCompleted",
                         resize_message("completed", *pod, generation, {}));
  const PodPtr before = std::exchange(entry->before, nullptr);
  const bool gave_back = before != nullptr && allocations::asks_for_more(*before, *entry->given);
  if (gave_back && !pending_.empty() && context_.pods_synced()) retry_all({});
}

void Allocations::fail(const PodPtr& pod, const std::string& message) {
  MutexLock lock(mutex_);
  Entry* entry = find_given(*pod);
  if (entry == nullptr) return;
  const std::optional<ResizeCondition> before = entry->conditions.in_progress;
  if (before && before->reason == "Error" && before->message == message) return;
  const Time now = context_.clock.now();
  const int64_t generation = before ? before->generation : pod->generation();
  entry->conditions.in_progress = {
      .reason = "Error",
      .message = message,
      .generation = generation,
      .since = before && before->reason == "Error" ? before->since : now,
      .told = now};
  context_.events.warning(reference_to(*pod), "ResizeError",
                          resize_message("error", *pod, generation, message));
}

ResizeConditions Allocations::conditions(api::UidView uid) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(uid);
  return found == entries_.end() ? ResizeConditions{} : found->second.conditions;
}

void Allocations::forget(const api::Uid& uid) {
  MutexLock lock(mutex_);
  entries_.erase(uid);
  pending_.erase(uid);
  if (!pending_.empty() && context_.pods_synced()) retry_all({});
}

}  // namespace proa::kubelet
