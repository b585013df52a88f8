#include "controllers/workload/daemon/daemon_history.h"

#include <set>

#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {
DaemonHistory::DaemonHistory(const ControllerContext& context, Freshness& pod_writes)
    : client_(context.client),
      pod_resource_(*context.schema.find_resource("", "v1", "pods")),
      history_(context, kRevisionHashLabel),
      pod_writes_(pod_writes) {}

Result<DaemonHistory::State> DaemonHistory::read(const Owner& set, api::View root,
                                                 const api::LabelSelector& selector,
                                                 const std::vector<api::ObjectPtr>& pods,
                                                 int64_t collisions) {
  std::vector<api::ObjectPtr> known = TRY(history_.claim(set, selector));
  for (api::ObjectPtr& one : known) {
    if (revision_hash_of(*one).empty()) one = TRY(put_hash(set, one));
  }
  const History::Current current = TRY(history_.current(set, root, known, collisions));
  State state;
  state.hash = revision_hash_of(*current.revision);
  state.collisions = current.collisions;
  for (const api::ObjectPtr& one : known) {
    if (one->metadata().name == current.revision->metadata().name) continue;
    if (!history_.is_same(set, *one)) {
      state.old.push_back(one);
      continue;
    }
    // Duplicates: pods of either revision are up to date.
    const bool changed = TRY(relabel(set, pods, revision_hash_of(*one), state.hash));
    state.relabelled = state.relabelled || changed;
    TRY(history_.remove(set, *one));
  }
  return state;
}

// For revisions without a hash label: upstream's constructHistory uses their names.
Result<api::ObjectPtr> DaemonHistory::put_hash(const Owner& set, const api::ObjectPtr& revision) {
  json::Document changed = TRY(revision->document());
  api::Edit(changed)
      .object("metadata")
      .object("labels")
      .set(kRevisionHashLabel, revision->metadata().name);
  return history_.update(set, *revision, std::move(changed));
}

// True if any pod was relabelled.
Result<bool> DaemonHistory::relabel(const Owner& set, const std::vector<api::ObjectPtr>& pods,
                                    std::string_view from, const std::string& to) {
  bool any = false;
  json::Document patch;
  patch.root() = json::Value::object();
  api::Edit(patch).object("metadata").object("labels").set(kRevisionHashLabel, to);
  for (const api::ObjectPtr& pod : pods) {
    if (revision_hash_of(*pod) != from) continue;
    any = true;
    const Result<api::ObjectPtr> patched = client_.patch(
        place_of(pod_resource_, client::Key::of(*pod)), api::PatchType::kMerge, patch.copy(), {});
    pod_writes_.tried(client::Key::of(set.object), patched);
    TRY(unless_gone(patched));
  }
  return any;
}

Result<void> DaemonHistory::truncate(const Owner& set, const State& state,
                                     const std::vector<api::ObjectPtr>& pods, int64_t limit) {
  std::set<std::string_view> used;
  for (const api::ObjectPtr& pod : pods) used.insert(revision_hash_of(*pod));
  const auto in_use = [&used](const api::Object& revision) {
    return used.contains(revision_hash_of(revision));
  };
  for (const api::ObjectPtr& one : surplus_revisions(state.old, limit, in_use)) {
    TRY(history_.remove(set, *one));
  }
  return {};
}

}  // namespace proa::controllers
