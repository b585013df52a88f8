#include "controllers/workload/deployment/history.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::controllers::deployments {
namespace history {

// Limit of the history annotation; the oldest revisions are dropped.
constexpr size_t kLongestHistory = 2000;

constexpr std::string_view kOwn[] = {
    "kubectl.kubernetes.io/last-applied-configuration",
    kRevision,
    kRevisionHistory,
    kDesiredReplicas,
    kMaxReplicas,
    kRollbackTo,
};

std::string with_revision(std::string_view history, std::string_view revision) {
  if (history.empty()) return std::string(revision);
  std::string all = std::string(history) + "," + std::string(revision);
  while (all.size() > kLongestHistory) {
    const size_t comma = all.find(',');
    if (comma == std::string::npos) return std::string(history);
    all.erase(0, comma + 1);
  }
  return all;
}

bool put(api::Edit annotations, std::string_view name, std::string_view text) {
  const api::View found = annotations[name];
  if (found.exists() && found.text() == text) return false;
  annotations.set(name, text);
  return true;
}

}  // namespace history

int64_t last_old_revision(const Sets& sets) {
  int64_t last = 0;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.is_old(i)) last = std::max(last, sets.at(i).revision);
  }
  return last;
}

int64_t revision_before_last(const Sets& sets) {
  int64_t last = 0;
  int64_t before = 0;
  for (const OwnedSet& set : sets.all) {
    if (set.facts.revision >= last) {
      before = std::exchange(last, set.facts.revision);
    } else {
      before = std::max(before, set.facts.revision);
    }
  }
  return before;
}

bool is_annotation_of_its_own(std::string_view name) {
  return std::find(std::begin(history::kOwn), std::end(history::kOwn), name) !=
         std::end(history::kOwn);
}

bool put_set_annotations(api::Edit set_metadata, api::View deployment_annotations,
                         int64_t revision) {
  bool changed = false;
  const api::Edit annotations = set_metadata.object("annotations");
  for (const json::Member& member : deployment_annotations.members()) {
    if (is_annotation_of_its_own(member.key)) continue;
    changed = history::put(annotations, member.key, api::View(member.value).text()) || changed;
  }
  const std::string before(annotations[kRevision].text());
  const std::optional<int64_t> number = before.empty() ? 0 : parse_int(before);
  if (!number || *number >= revision) return changed;
  annotations.set(kRevision, std::to_string(revision));
  if (!before.empty()) {
    const std::string past(annotations[kRevisionHistory].text());
    history::put(annotations, kRevisionHistory, history::with_revision(past, before));
  }
  return true;
}

bool put_size_annotations(api::Edit set_metadata, const DeploymentFacts& deployment) {
  const api::Edit annotations = set_metadata.object("annotations");
  const bool desired =
      history::put(annotations, kDesiredReplicas, std::to_string(deployment.replicas));
  const bool most = history::put(annotations, kMaxReplicas, std::to_string(deployment.most_pods()));
  return desired || most;
}

std::vector<size_t> sets_to_forget(const DeploymentFacts& deployment, const Sets& sets) {
  if (!deployment.history_limit) return {};
  std::vector<size_t> old;
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.is_old(i) && !sets.at(i).being_deleted) old.push_back(i);
  }
  if (old.size() <= *deployment.history_limit) return {};
  // Stable: equal revisions stay in order of age.
  std::stable_sort(old.begin(), old.end(),
                   [&](size_t a, size_t b) { return sets.at(a).revision < sets.at(b).revision; });
  old.resize(old.size() - *deployment.history_limit);
  std::erase_if(old, [&](size_t i) {
    const SetFacts& set = sets.at(i);
    return set.replicas != 0 || set.current != 0 || !set.observed;
  });
  return old;
}

}  // namespace proa::controllers::deployments
