#include "scheduler/cycle/evaluation.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace proa::scheduler {
namespace evaluation {

// "[A B]", as upstream prints a list.
std::string list_of(std::vector<const Plugin*> plugins) {
  std::sort(plugins.begin(), plugins.end(),
            [](const Plugin* a, const Plugin* b) { return a->name() < b->name(); });
  std::string text = "[";
  for (const Plugin* plugin : plugins) {
    if (text.size() > 1) text.push_back(' ');
    text.append(plugin->name());
  }
  return text + "]";
}

// The names in `more` that are among `names` too, where there are any; ascending.
std::vector<std::string> in_both(const std::optional<std::vector<std::string>>& names,
                                 std::vector<std::string> more) {
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  if (names) {
    std::erase_if(more, [&](const std::string& name) {
      return !std::binary_search(names->begin(), names->end(), name);
    });
  }
  return more;
}

}  // namespace evaluation

Evaluation::Evaluation(const Profile& profile, Cluster& cluster, const Nominations& nominations,
                       const Pod& pod)
    : profile_(profile), cluster_(cluster), nominations_(nominations), shape_(pod.shape) {
  rebuild(pod);
}

void Evaluation::rebuild(const Pod& pod) {
  pod_ = &pod;
  layout_ = cluster_.layout();
  seen_ = cluster_.changes();
  had_affinity_ = cluster_.pods_with_affinity() > 0;
  had_anti_affinity_ = cluster_.pods_with_anti_affinity() > 0;
  scoring_ = nullptr;
  judged_ = false;
  local_tally_.clear();
  make_filters(pod);
  if (only_ || !pre_filter_.verdict.ok()) return;
  local_.assign(cluster_.slots(), {});
  is_dirty_.assign(cluster_.slots(), false);
  dirty_.clear();
  for (NodeIndex node = 0; node < cluster_.slots(); ++node) judge_local(node);
}

void Evaluation::make_filters(const Pod& pod) {
  pre_filter_ = {};
  filters_.clear();
  beyond_.clear();
  only_.reset();
  narrowed_by_.clear();
  std::optional<std::vector<std::string>> names;
  for (FilterPlugin* plugin : profile_.filter) {
    PreFiltered made = plugin->pre_filter(pod);
    if (!made.verdict.ok()) {
      pre_filter_ = {.verdict = made.verdict, .plugin = plugin};
      narrowed_by_.clear();
      return;
    }
    if (made.only_nodes) {
      narrowed_by_.push_back(plugin);
      names = evaluation::in_both(names, std::move(*made.only_nodes));
      if (names->empty()) return nobody_is_left(plugin);
    }
    if (made.filter == nullptr) continue;
    if (!made.filter->is_local()) beyond_.push_back(filters_.size());
    Filter added;
    added.plugin = plugin;
    added.filter = std::move(made.filter);
    filters_.push_back(std::move(added));
  }
  beyond_come_last_ = beyond_.empty() || beyond_.front() + beyond_.size() == filters_.size();
  if (names) narrow_to(*names);
}

void Evaluation::narrow_to(const std::vector<std::string>& names) {
  only_.emplace();
  for (const std::string& name : names) {
    // There need not be such a node.
    if (const std::optional<NodeIndex> node = cluster_.find(api::NodeNameView(name)))
      only_->push_back(*node);
  }
  std::sort(only_->begin(), only_->end());
  narrowed_reasons_ = {"node(s) didn't satisfy plugin(s) " + evaluation::list_of(narrowed_by_)};
  narrowed_ = {.verdict = {.code = Code::kUnresolvable, .reasons = &narrowed_reasons_},
               .plugin = narrowed_by_[0]};
}

void Evaluation::nobody_is_left(const Plugin* plugin) {
  narrowed_reasons_ = {narrowed_by_.size() == 1
                           ? "node(s) didn't satisfy plugin " + std::string(plugin->name())
                           : "node(s) didn't satisfy plugin(s) " +
                                 evaluation::list_of(narrowed_by_) + " simultaneously"};
  pre_filter_ = {.verdict = {.code = Code::kUnresolvable, .reasons = &narrowed_reasons_},
                 .plugin = plugin};
}

bool Evaluation::is_outdated(const Pod& pod) const {
  if (only_ || !pre_filter_.verdict.ok() || layout_ != cluster_.layout()) return true;
  if (had_affinity_ != (cluster_.pods_with_affinity() > 0)) return true;
  if (had_anti_affinity_ != (cluster_.pods_with_anti_affinity() > 0)) return true;
  if (scoring_ != nullptr && !scoring_->is_current(pod)) return true;
  return !std::all_of(filters_.begin(), filters_.end(),
                      [&](const Filter& one) { return one.filter->is_current(pod); });
}

bool Evaluation::catch_up() {
  const auto changes = cluster_.changes_since(seen_);
  if (!changes) return false;
  for (const ClusterChange& change : *changes) {
    if (change.kind == ClusterChange::Kind::kPodAdded) tell_added(*change.pod, change.node);
    if (change.kind == ClusterChange::Kind::kPodRemoved) tell_removed(*change.pod, change.node);
    mark_dirty(change.node);
  }
  seen_ = cluster_.changes();
  for (const NodeIndex node : dirty_) {
    is_dirty_[node] = false;
    judge_local(node);
  }
  dirty_.clear();
  return true;
}

void Evaluation::mark_dirty(NodeIndex node) {
  if (node >= is_dirty_.size()) {
    is_dirty_.resize(node + 1, false);
    local_.resize(node + 1);
  }
  if (is_dirty_[node]) return;
  is_dirty_[node] = true;
  dirty_.push_back(node);
}

void Evaluation::refresh(const Pod& pod) {
  const bool is_new = std::exchange(is_new_, false) && pod_ == &pod && seen_ == cluster_.changes();
  pod_ = &pod;
  if (!is_new && (is_outdated(pod) || !catch_up())) rebuild(pod);
  judged_ = false;
}

Diagnosis::Rejection Evaluation::local_rejection(NodeIndex node) const {
  const Node& at = cluster_.at(node);
  for (const Filter& one : filters_) {
    if (!one.filter->is_local()) continue;
    const Verdict verdict = one.filter->check(node, at);
    if (!verdict.ok()) return {.verdict = verdict, .plugin = one.plugin};
  }
  return {};
}

Diagnosis::Rejection Evaluation::local_rejection_with_nominated(NodeIndex node) {
  std::vector<PodPtr> added;
  for (const PodPtr& one : nominations_.on(cluster_.at(node).name())) {
    if (one->priority() < shape_->priority) continue;
    cluster_.try_add(node, one);
    added.push_back(one);
  }
  if (added.empty()) return {};
  const Rejection rejection = local_rejection(node);
  for (const PodPtr& one : added) cluster_.try_remove(node, one->uid());
  return rejection;
}

void Evaluation::judge_local(NodeIndex node) {
  local_tally_.remove(local_[node]);
  local_[node] = {};
  bool takes = cluster_.node(node) != nullptr;
  if (takes) {
    local_[node] = local_rejection(node);
    if (local_[node].plugin == nullptr && !nominations_.empty()) {
      local_[node] = local_rejection_with_nominated(node);
    }
    takes = local_[node].plugin == nullptr;
    local_tally_.add(local_[node]);
  }
  if (scoring_ == nullptr) return;
  if (takes) {
    scoring_->put(node);
  } else {
    scoring_->leave_out(node);
  }
}

const Diagnosis::Rejection& Evaluation::of(NodeIndex node) const {
  if (!pre_filter_.verdict.ok()) return pre_filter_;
  if (only_) {
    const auto found = std::lower_bound(only_->begin(), only_->end(), node);
    if (found == only_->end() || *found != node) return narrowed_;
    return only_rejections_[found - only_->begin()];
  }
  return all_is_used_ ? all_[node] : local_[node];
}

const RejectionTally& Evaluation::tally() const {
  if (pre_filter_.verdict.ok() && !only_ && !all_is_used_) return local_tally_;
  if (std::exchange(tally_is_known_, true)) return tally_;
  tally_.clear();
  if (!pre_filter_.verdict.ok()) return tally_;
  for (const Rejection& one : only_ ? only_rejections_ : all_) tally_.add(one);
  if (only_) tally_.add(narrowed_, cluster_.node_count() - only_->size());
  return tally_;
}

Diagnosis::Rejection Evaluation::first_rejection(NodeIndex node) const {
  const Node& at = cluster_.at(node);
  for (const Filter& one : filters_) {
    const Verdict verdict = one.filter->check(node, at);
    if (!verdict.ok()) return {.verdict = verdict, .plugin = one.plugin};
  }
  return {};
}

bool Evaluation::has_rivals(const std::vector<PodPtr>& nominated) const {
  return std::any_of(nominated.begin(), nominated.end(), [&](const PodPtr& one) {
    return one->priority() >= pod_->priority() && one->uid() != pod_->uid();
  });
}

Diagnosis::Rejection Evaluation::judge(NodeIndex node) {
  const std::vector<PodPtr>& nominated = nominations_.on(cluster_.at(node).name());
  if (nominated.empty() || !has_rivals(nominated)) return first_rejection(node);
  std::vector<PodPtr> added;
  for (const PodPtr& one : nominated) {
    if (one->priority() < pod_->priority() || one->uid() == pod_->uid()) continue;
    cluster_.try_add(node, one);
    tell_added(*one, node);
    added.push_back(one);
  }
  const Rejection with_them = first_rejection(node);
  for (const PodPtr& one : added) {
    cluster_.try_remove(node, one->uid());
    tell_removed(*one, node);
  }
  // A pod may also need others to be there: so it must fit without them, too.
  return with_them.plugin != nullptr ? with_them : first_rejection(node);
}

void Evaluation::judge_all() {
  if (judged_) return;
  judged_ = true;
  feasible_is_known_ = false;
  tally_is_known_ = false;
  if (!pre_filter_.verdict.ok()) return;
  if (only_) return judge_only();
  // What is known of a node alone has the nominated pods in it; but for the pod itself, its own
  // nomination does not count.
  const api::NodeNameView own = nominations_.node_of(pod_->uid());
  all_is_used_ = !beyond_.empty() || !own.empty();
  if (!all_is_used_) return;
  all_ = local_;
  if (!beyond_.empty()) judge_beyond();
  const std::optional<NodeIndex> node = own.empty() ? std::nullopt : cluster_.find(own);
  if (node) all_[*node] = judge(*node);
}

void Evaluation::judge_beyond() {
  for (NodeIndex node = 0; node < all_.size(); ++node) {
    const Node* at = cluster_.node(node);
    if (at == nullptr) continue;
    if (all_[node].plugin != nullptr) {
      if (!beyond_come_last_) all_[node] = first_rejection(node);
      continue;
    }
    for (const size_t i : beyond_) {
      const Verdict verdict = filters_[i].filter->check(node, *at);
      if (verdict.ok()) continue;
      all_[node] = {.verdict = verdict, .plugin = filters_[i].plugin};
      break;
    }
  }
  for (const auto& [name, nominated] : nominations_.by_node()) {
    const std::optional<NodeIndex> node = cluster_.find(name);
    if (node && has_rivals(nominated)) all_[*node] = judge(*node);
  }
}

void Evaluation::judge_only() {
  only_rejections_.clear();
  for (const NodeIndex node : *only_) only_rejections_.push_back(judge(node));
}

const std::vector<NodeIndex>& Evaluation::feasible() {
  judge_all();
  if (feasible_is_known_) return feasible_;
  feasible_is_known_ = true;
  feasible_.clear();
  if (!pre_filter_.verdict.ok()) return feasible_;
  if (only_) {
    for (size_t i = 0; i < only_->size(); ++i) {
      if (only_rejections_[i].plugin == nullptr) feasible_.push_back((*only_)[i]);
    }
    return feasible_;
  }
  const std::vector<Rejection>& rejections = all_is_used_ ? all_ : local_;
  for (NodeIndex node = 0; node < rejections.size(); ++node) {
    if (rejections[node].plugin == nullptr && cluster_.node(node) != nullptr) {
      feasible_.push_back(node);
    }
  }
  return feasible_;
}

bool Evaluation::takes(NodeIndex node) {
  if (!pre_filter_.verdict.ok()) return false;
  if (only_ && !std::binary_search(only_->begin(), only_->end(), node)) return false;
  return cluster_.node(node) != nullptr && judge(node).plugin == nullptr;
}

std::optional<NodeIndex> Evaluation::choose(Random& random) {
  judge_all();
  if (!pre_filter_.verdict.ok()) return std::nullopt;
  if (only_ && feasible().size() <= 1) {
    return feasible_.empty() ? std::nullopt : std::optional(feasible_[0]);
  }
  if (scoring_ == nullptr) {
    scoring_ = std::make_unique<Scoring>(profile_, cluster_, *pod_);
    for (NodeIndex node = 0; !only_ && node < local_.size(); ++node) {
      if (local_[node].plugin == nullptr && cluster_.node(node) != nullptr) scoring_->put(node);
    }
  }
  if (!only_ && !all_is_used_ && scoring_->is_simple()) return scoring_->best_of_all(random);
  if (feasible().empty()) return std::nullopt;
  return scoring_->best_of(feasible_, random);
}

std::vector<PluginScores> Evaluation::scores() {
  if (feasible().empty()) return {};
  return Scoring(profile_, cluster_, *pod_).of(feasible_);
}

void Evaluation::tell_added(const Pod& pod, NodeIndex node) {
  for (const size_t i : beyond_) filters_[i].filter->pod_added(pod, node);
  if (scoring_ != nullptr) scoring_->pod_added(pod, node);
}

void Evaluation::tell_removed(const Pod& pod, NodeIndex node) {
  for (const size_t i : beyond_) filters_[i].filter->pod_removed(pod, node);
  if (scoring_ != nullptr) scoring_->pod_removed(pod, node);
}

std::vector<Evaluation::Objection> Evaluation::objections(NodeIndex node) {
  std::vector<Objection> objections;
  const Node& at = cluster_.at(node);
  for (const Filter& one : filters_) {
    const Verdict verdict = one.filter->check(node, at);
    if (verdict.ok()) continue;
    objections.push_back(
        {.plugin = one.plugin, .verdict = verdict, .suggestion = one.filter->suggestion(node, at)});
  }
  return objections;
}

}  // namespace proa::scheduler
