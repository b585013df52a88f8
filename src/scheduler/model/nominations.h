#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Pods that are nominated to a node by preemption: they count there for pods of lower priority, so
// that the room is not taken. For one thread.
class Nominations {
 public:
  // `changed` is called for every node whose relevant nominations change.
  explicit Nominations(std::function<void(api::NodeNameView node)> changed = {})
      : changed_(std::move(changed)) {}

  // Nominates the pod to that node instead of an earlier one; to none if empty.
  void set(const PodPtr& pod, api::NodeNameView node);
  void remove(api::UidView uid);

  // By node; nodes without nominations are absent.
  using ByNode =
      std::unordered_map<api::NodeName, std::vector<PodPtr>, api::NameHash, std::equal_to<>>;
  const ByNode& by_node() const { return by_node_; }
  const std::vector<PodPtr>& on(api::NodeNameView node) const;
  bool has(api::UidView uid) const { return node_of_.contains(uid); }
  // The pod as it was set; null if it is not nominated.
  PodPtr find(api::UidView uid) const;
  // Empty if it is not nominated.
  api::NodeNameView node_of(api::UidView uid) const;
  bool empty() const { return by_node_.empty(); }

 private:
  // Replaces the state of a nominated pod.
  void renew(const PodPtr& pod, api::NodeNameView node);

  std::function<void(api::NodeNameView node)> changed_;
  ByNode by_node_;
  std::unordered_map<api::Uid, api::NodeName, api::NameHash, std::equal_to<>> node_of_;
};

}  // namespace proa::scheduler
