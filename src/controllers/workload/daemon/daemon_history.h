#pragma once

#include <string>
#include <vector>

#include "controllers/workload/history/history.h"

namespace proa::controllers {

// The revisions of DaemonSets. Their pods name them by a hash, which stands among the labels of
// both.
class DaemonHistory {
 public:
  // `pod_writes`: told of pods that change here. Everything outlives it.
  DaemonHistory(const ControllerContext& context, Freshness& pod_writes);

  History& revisions() { return history_; }

  struct State {
    std::string hash;  // of the template that the set has now
    int64_t collisions = 0;
    std::vector<api::ObjectPtr> old;  // all other revisions, oldest first
    bool relabelled = false;          // pods say something else now than those that were given
  };
  Result<State> read(const Owner& set, api::View root, const api::LabelSelector& selector,
                     const std::vector<api::ObjectPtr>& pods, int64_t collisions);
  // Removes what is beyond the limit and no pod is made of.
  Result<void> truncate(const Owner& set, const State& state,
                        const std::vector<api::ObjectPtr>& pods, int64_t limit);

 private:
  Result<api::ObjectPtr> put_hash(const Owner& set, const api::ObjectPtr& revision);
  Result<bool> relabel(const Owner& set, const std::vector<api::ObjectPtr>& pods,
                       std::string_view from, const std::string& to);

  const client::BoundedClient client_;
  const api::Resource& pod_resource_;
  History history_;
  Freshness& pod_writes_;
};

}  // namespace proa::controllers
