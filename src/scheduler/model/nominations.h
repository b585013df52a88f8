#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Pods for which room is being made on a node: they count there already for pods that are less
// important, so that nobody takes the room. For one thread.
class Nominations {
 public:
  // `changed` is told of every node whose list changes in what counts.
  explicit Nominations(std::function<void(std::string_view node)> changed = {})
      : changed_(std::move(changed)) {}

  // Puts the pod on that node's list, whatever list it was on before; on none when empty.
  void set(const PodPtr& pod, std::string_view node);
  void remove(std::string_view uid);

  // By node; those without any are not listed.
  const std::unordered_map<std::string, std::vector<PodPtr>>& by_node() const { return by_node_; }
  const std::vector<PodPtr>& on(std::string_view node) const;
  bool has(std::string_view uid) const { return node_of_.contains(std::string(uid)); }
  // The pod as it was when it was set; null when it is on no list.
  PodPtr find(std::string_view uid) const;
  // Empty when it is on none.
  std::string_view node_of(std::string_view uid) const;
  bool empty() const { return by_node_.empty(); }

 private:
  // Another state of a pod that is on that list.
  void renew(const PodPtr& pod, std::string_view node);

  std::function<void(std::string_view node)> changed_;
  std::unordered_map<std::string, std::vector<PodPtr>> by_node_;
  std::unordered_map<std::string, std::string> node_of_;  // by uid
};

}  // namespace proa::scheduler
