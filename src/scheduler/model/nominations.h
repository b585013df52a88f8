#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Pods that are nominated to a node by preemption: they count there for pods of lower priority, so
// that the room is not taken. For one thread.
class Nominations {
 public:
  // `changed` is called for every node whose relevant nominations change.
  explicit Nominations(std::function<void(std::string_view node)> changed = {})
      : changed_(std::move(changed)) {}

  // Nominates the pod to that node instead of an earlier one; to none if empty.
  void set(const PodPtr& pod, std::string_view node);
  void remove(std::string_view uid);

  // By node; nodes without nominations are absent.
  const std::unordered_map<std::string, std::vector<PodPtr>>& by_node() const { return by_node_; }
  const std::vector<PodPtr>& on(std::string_view node) const;
  bool has(std::string_view uid) const { return node_of_.contains(std::string(uid)); }
  // The pod as it was set; null if it is not nominated.
  PodPtr find(std::string_view uid) const;
  // Empty if it is not nominated.
  std::string_view node_of(std::string_view uid) const;
  bool empty() const { return by_node_.empty(); }

 private:
  // Replaces the state of a nominated pod.
  void renew(const PodPtr& pod, std::string_view node);

  std::function<void(std::string_view node)> changed_;
  std::unordered_map<std::string, std::vector<PodPtr>> by_node_;
  std::unordered_map<std::string, std::string> node_of_;  // by uid
};

}  // namespace proa::scheduler
