#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/cycle/scoring.h"
#include "scheduler/framework/diagnosis.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"

namespace proa::scheduler {

// The filter and score results of a profile for all nodes and the pods of one shape. Kept across
// pods: before each use it is updated with the cluster's changes, and local plugins evaluate only
// nodes that changed. For one thread.
class Evaluation final : public Diagnosis {
 public:
  // Everything outlives it. `pod`: any of the shape.
  Evaluation(const Profile& profile, Cluster& cluster, const Nominations& nominations,
             const Pod& pod);

  // Updates the results for a pod of its shape, which must outlive the following calls. Called
  // before all others.
  void refresh(const Pod& pod);
  // Whether it can be reused for the next pod of its shape.
  bool can_be_kept() const { return !only_ && !shape_->has_volumes_of_its_own; }

  // Whether the pod fits on that node; evaluates no other nodes.
  bool takes(NodeIndex node);
  // The node with the highest score, ties broken randomly; nullopt if no node fits.
  std::optional<NodeIndex> choose(Random& random);
  // The feasible nodes and the score of each plugin: for tests and explain.
  const std::vector<NodeIndex>& feasible();
  std::vector<PluginScores> scores();

  // --- Diagnosis ---
  const Rejection& pre_filter() const override { return pre_filter_; }
  const Rejection& of(NodeIndex node) const override;
  const RejectionTally& tally() const override;
  Verdict check(NodeIndex node) override { return judge(node).verdict; }
  void tell_added(const Pod& pod, NodeIndex node) override;
  void tell_removed(const Pod& pod, NodeIndex node) override;
  bool looks_beyond_nodes() const override { return !beyond_.empty(); }
  const std::vector<const Plugin*>& narrowed_by() const override { return narrowed_by_; }

  // All plugins that reject the node, not only the first, with their suggestions.
  struct Objection {
    const Plugin* plugin = nullptr;
    Verdict verdict = {};
    std::string suggestion = {};
  };
  std::vector<Objection> objections(NodeIndex node);

 private:
  struct Filter {
    FilterPlugin* plugin = nullptr;
    std::unique_ptr<NodeFilter> filter = {};
  };

  void rebuild(const Pod& pod);
  void make_filters(const Pod& pod);
  void narrow_to(const std::vector<std::string>& names);
  void nobody_is_left(const Plugin* plugin);
  bool is_outdated(const Pod& pod) const;
  // False if the change log no longer reaches back far enough.
  bool catch_up();
  void mark_dirty(NodeIndex node);
  void judge_local(NodeIndex node);
  // Result of the local filters.
  Rejection local_rejection(NodeIndex node) const;
  // The same, including pods nominated to the node with at least the same priority.
  Rejection local_rejection_with_nominated(NodeIndex node);

  // The first filter that rejects the node in its current state.
  Rejection first_rejection(NodeIndex node) const;
  // The same, including nominated pods that count.
  Rejection judge(NodeIndex node);
  void judge_all();
  void judge_beyond();
  void judge_only();
  // Nominated pods that count: those with at least the priority of the current pod.
  bool has_rivals(const std::vector<PodPtr>& nominated) const;

  const Profile& profile_;
  Cluster& cluster_;
  const Nominations& nominations_;
  const ShapePtr shape_;
  const Pod* pod_ = nullptr;  // the current pod
  bool is_new_ = true;        // created for the current pod, no update needed

  uint64_t layout_ = 0;
  uint64_t seen_ = 0;  // position in the cluster's change log
  bool had_affinity_ = false;
  bool had_anti_affinity_ = false;

  Rejection pre_filter_;
  std::vector<Filter> filters_;  // in profile order
  std::vector<size_t> beyond_;   // indexes of the filters that are not local
  // Whether non-local filters come last in the profile: then the first local filter that rejects a
  // node is the first of all.
  bool beyond_come_last_ = true;
  // If PreFilter restricted the nodes: those nodes, ascending, and their rejections.
  std::optional<std::vector<NodeIndex>> only_;
  std::vector<Rejection> only_rejections_;
  std::vector<const Plugin*> narrowed_by_;
  Verdict::Reasons narrowed_reasons_;
  Rejection narrowed_;  // rejection of all other nodes

  // Results of local filters, including nominated pods; by slot.
  std::vector<Rejection> local_;
  RejectionTally local_tally_;
  std::vector<Rejection> all_;  // results of all filters, if some are not local
  bool all_is_used_ = false;
  mutable RejectionTally tally_;  // computed on demand, for the current pod only
  mutable bool tally_is_known_ = false;
  bool judged_ = false;
  std::vector<NodeIndex> feasible_;
  bool feasible_is_known_ = false;

  std::unique_ptr<Scoring> scoring_;  // created on first use
  std::vector<NodeIndex> dirty_;
  std::vector<bool> is_dirty_;
};

}  // namespace proa::scheduler
