#include "scheduler/model/nominations.h"

#include <algorithm>

namespace proa::scheduler {

void Nominations::set(const PodPtr& pod, std::string_view node) {
  if (!node.empty() && node_of(pod->uid()) == node) return renew(pod, node);
  remove(pod->uid());
  if (node.empty()) return;
  node_of_.emplace(pod->uid(), node);
  by_node_[std::string(node)].push_back(pod);
  if (changed_) changed_(node);
}

void Nominations::renew(const PodPtr& pod, std::string_view node) {
  for (PodPtr& one : by_node_[std::string(node)]) {
    if (one->uid() != pod->uid()) continue;
    const bool differs = one->shape != pod->shape;
    one = pod;
    if (differs && changed_) changed_(node);
  }
}

void Nominations::remove(std::string_view uid) {
  const auto found = node_of_.find(std::string(uid));
  if (found == node_of_.end()) return;
  const auto list = by_node_.find(found->second);
  std::erase_if(list->second, [&](const PodPtr& pod) { return pod->uid() == uid; });
  if (list->second.empty()) by_node_.erase(list);
  const std::string node = std::move(found->second);
  node_of_.erase(found);
  if (changed_) changed_(node);
}

std::string_view Nominations::node_of(std::string_view uid) const {
  if (node_of_.empty()) return {};
  const auto found = node_of_.find(std::string(uid));
  return found == node_of_.end() ? std::string_view() : found->second;
}

PodPtr Nominations::find(std::string_view uid) const {
  for (const PodPtr& pod : on(node_of(uid))) {
    if (pod->uid() == uid) return pod;
  }
  return nullptr;
}

const std::vector<PodPtr>& Nominations::on(std::string_view node) const {
  static const std::vector<PodPtr> kNone;
  if (by_node_.empty()) return kNone;
  const auto found = by_node_.find(std::string(node));
  return found == by_node_.end() ? kNone : found->second;
}

}  // namespace proa::scheduler
