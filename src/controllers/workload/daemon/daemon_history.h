#pragma once

#include <string>
#include <vector>

#include "controllers/workload/history/history.h"

namespace proa::controllers {

// The revisions of DaemonSets. Pods refer to them by the hash in their labels.
class DaemonHistory {
 public:
  // `pod_writes` records the writes to pods. Everything outlives it.
  DaemonHistory(const ControllerContext& context, Freshness& pod_writes);

  History& revisions() { return history_; }

  struct State {
    std::string hash;  // of the current template
    int64_t collisions = 0;
    std::vector<api::ObjectPtr> old;  // all other revisions, oldest first
    bool relabelled = false;          // labels of pods were changed
  };
  Result<State> read(const Owner& set, api::View root, const api::LabelSelector& selector,
                     const std::vector<api::ObjectPtr>& pods, int64_t collisions);
  // Deletes unused revisions beyond the limit.
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
