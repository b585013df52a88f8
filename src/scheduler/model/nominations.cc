#include "scheduler/model/nominations.h"

#include <algorithm>

namespace proa::scheduler {

void Nominations::set(const PodPtr& pod, api::NodeNameView node) {
  if (!node.empty() && node_of(pod->uid()) == node) return renew(pod, node);
  remove(pod->uid());
  if (node.empty()) return;
  node_of_.emplace(pod->uid(), node);
  by_node_[api::NodeName(node)].push_back(pod);
  if (changed_) changed_(node);
}

void Nominations::renew(const PodPtr& pod, api::NodeNameView node) {
  for (PodPtr& one : by_node_[api::NodeName(node)]) {
    if (one->uid() != pod->uid()) continue;
    const bool differs = one->shape != pod->shape;
    one = pod;
    if (differs && changed_) changed_(node);
  }
}

void Nominations::remove(api::UidView uid) {
  const auto found = node_of_.find(uid);
  if (found == node_of_.end()) return;
  const auto list = by_node_.find(found->second);
  std::erase_if(list->second, [&](const PodPtr& pod) { return pod->uid() == uid; });
  if (list->second.empty()) by_node_.erase(list);
  const api::NodeName node = std::move(found->second);
  node_of_.erase(found);
  if (changed_) changed_(node);
}

api::NodeNameView Nominations::node_of(api::UidView uid) const {
  if (node_of_.empty()) return {};
  const auto found = node_of_.find(uid);
  return found == node_of_.end() ? api::NodeNameView() : found->second;
}

PodPtr Nominations::find(api::UidView uid) const {
  for (const PodPtr& pod : on(node_of(uid))) {
    if (pod->uid() == uid) return pod;
  }
  return nullptr;
}

const std::vector<PodPtr>& Nominations::on(api::NodeNameView node) const {
  static const std::vector<PodPtr> kNone;
  if (by_node_.empty()) return kNone;
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? kNone : found->second;
}

}  // namespace proa::scheduler
