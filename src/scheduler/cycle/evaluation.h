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

// What a profile says of all nodes for the pods of one shape. Kept from pod to pod: before each
// use it is corrected by what changed in the cluster since, and only nodes that changed are asked
// again by plugins that look at a node alone. For one thread.
class Evaluation final : public Diagnosis {
 public:
  // Everything outlives it. `pod`: any of the shape.
  Evaluation(const Profile& profile, Cluster& cluster, const Nominations& nominations,
             const Pod& pod);

  // Brings it up to date for a pod of its shape, which outlives what is asked next. Called before
  // all else.
  void refresh(const Pod& pod);
  // Whether it may serve the next pod of its shape too.
  bool can_be_kept() const { return !only_ && !shape_->has_volumes_of_its_own; }

  // Whether that node takes the pod, without looking at others.
  bool takes(NodeIndex node);
  // The best of the nodes that take the pod, ties broken evenly; nullopt when there are none.
  std::optional<NodeIndex> choose(Random& random);
  // The nodes that take the pod, and what each score plugin says of them: for tests and for people.
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

  // All that object to the node, not only the first one, and what would have to change.
  struct Objection {
    const Plugin* plugin = nullptr;
    Verdict verdict = {};
    std::string mend = {};
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
  // False when it can't: too much has changed.
  bool catch_up();
  void mark_dirty(NodeIndex node);
  void judge_local(NodeIndex node);
  // By filters that look at a node alone.
  Rejection local_rejection(NodeIndex node) const;
  // The same, with the pods that are nominated to it and are at least as important.
  Rejection local_rejection_with_nominated(NodeIndex node);

  // The first that rejects the node as it is now.
  Rejection first_rejection(NodeIndex node) const;
  // The same, with the pods that are nominated to it and count.
  Rejection judge(NodeIndex node);
  void judge_all();
  void judge_beyond();
  void judge_only();
  // Nominated pods that count for the pod in question: those that are at least as important.
  bool has_rivals(const std::vector<PodPtr>& nominated) const;

  const Profile& profile_;
  Cluster& cluster_;
  const Nominations& nominations_;
  const ShapePtr shape_;
  const Pod* pod_ = nullptr;  // the one in question
  bool is_new_ = true;        // made a moment ago, for that very pod

  uint64_t layout_ = 0;
  uint64_t seen_ = 0;  // changes of the cluster
  bool had_affinity_ = false;
  bool had_anti_affinity_ = false;

  Rejection pre_filter_;
  std::vector<Filter> filters_;  // in their order
  std::vector<size_t> beyond_;   // those of them that look beyond a node
  // Then the first of the others that rejects a node is the first of all.
  bool beyond_come_last_ = true;
  // The only nodes that come into question, ascending, and what each was rejected for.
  std::optional<std::vector<NodeIndex>> only_;
  std::vector<Rejection> only_rejections_;
  std::vector<const Plugin*> narrowed_by_;
  Verdict::Reasons narrowed_reasons_;
  Rejection narrowed_;  // of all other nodes

  // By filters that look at a node alone, with the pods that are nominated to it; by slot.
  std::vector<Rejection> local_;
  RejectionTally local_tally_;
  std::vector<Rejection> all_;  // by all filters, if there are others
  bool all_is_used_ = false;
  mutable RejectionTally tally_;  // of what this pod alone is told, when somebody asks
  mutable bool tally_is_known_ = false;
  bool judged_ = false;
  std::vector<NodeIndex> feasible_;
  bool feasible_is_known_ = false;

  std::unique_ptr<Scoring> scoring_;  // made when it is needed first
  std::vector<NodeIndex> dirty_;
  std::vector<bool> is_dirty_;
};

}  // namespace proa::scheduler
