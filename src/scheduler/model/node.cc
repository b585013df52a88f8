#include "scheduler/model/node.h"

#include <algorithm>

#include "base/log.h"
#include "json/cursor.h"
#include "scheduler/model/node_object.h"

namespace proa::scheduler {
namespace node_reader {

const Log kLog{"scheduler"};

// From this many pods on, lookups use an index; kubelets run 110 pods by default.
constexpr size_t kManyPods = 256;

std::string claim_key(const PodShape& shape, const std::string& claim) {
  return shape.name_space + "/" + claim;
}

void add_image(const objects::ContainerImage& image,
               std::vector<std::pair<std::string, int64_t>>& images) {
  json::Cursor names(image.names.text);
  if (!names.enter_array()) return;
  while (names.next_item()) {
    if (const std::optional<std::string_view> name = names.string()) {
      images.emplace_back(*name, image.size);
    } else {
      names.skip();
    }
  }
}

}  // namespace node_reader

NodeFacts read_node(const api::ObjectPtr& node) {
  NodeFacts facts{.object = node};
  Result<objects::Node> decoded = api::decode<objects::Node>(*node);
  if (!decoded) {
    node_reader::kLog.warn("decoding the node failed",
                           {{"node", facts.name().view()}, {"error", decoded.status()}});
    return facts;
  }
  kinds::pods::Amounts amounts = read_amounts(decoded->status.allocatable);
  if (const auto pods = amounts.find("pods"); pods != amounts.end()) {
    facts.allowed_pods = pods->second.value();
    amounts.erase(pods);
  }
  facts.allocatable = Resources::from(amounts);
  facts.unschedulable = decoded->spec.unschedulable;
  facts.taints = std::move(decoded->spec.taints);
  facts.images.reserve(2 * decoded->status.images.size());  // mostly a digest and a tag
  for (const objects::ContainerImage& image : decoded->status.images) {
    node_reader::add_image(image, facts.images);
  }
  // A name that is listed twice is one image.
  std::sort(facts.images.begin(), facts.images.end());
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  facts.images.erase(std::unique(facts.images.begin(), facts.images.end(), same_name),
                     facts.images.end());
  return facts;
}

bool same_for_pods(const NodeFacts& a, const NodeFacts& b) {
  return a.allocatable == b.allocatable && a.allowed_pods == b.allowed_pods &&
         a.unschedulable == b.unschedulable && a.taints == b.taints && a.images == b.images &&
         a.metadata().labels == b.metadata().labels;
}

size_t Node::place_of(api::UidView uid) const {
  if (!places_.empty()) {
    const auto found = places_.find(uid);
    return found == places_.end() ? pods_.size() : found->second;
  }
  const auto found = std::find_if(pods_.begin(), pods_.end(),
                                  [&](const PodPtr& pod) { return pod->uid() == uid; });
  return static_cast<size_t>(found - pods_.begin());
}

void Node::add(PodPtr pod) {
  count(*pod->shape, 1);
  pods_.push_back(std::move(pod));
  if (!places_.empty()) {
    places_.emplace(pods_.back()->uid(), pods_.size() - 1);
    return;
  }
  if (pods_.size() < node_reader::kManyPods) return;
  for (size_t i = 0; i < pods_.size(); ++i) places_.emplace(pods_[i]->uid(), i);
}

void Node::exchange(PodPtr pod) {
  const size_t place = place_of(pod->uid());
  if (place == pods_.size()) return;
  if (!places_.empty()) {
    // The old key points into the pod that is replaced.
    places_.erase(pod->uid());
    places_.emplace(pod->uid(), place);
  }
  pods_[place] = std::move(pod);
}

PodPtr Node::remove(api::UidView uid) {
  const size_t place = place_of(uid);
  if (place == pods_.size()) return nullptr;
  PodPtr pod = std::move(pods_[place]);
  if (!places_.empty()) {
    places_.erase(pod->uid());
    if (place + 1 < pods_.size()) places_[pods_.back()->uid()] = place;
  }
  if (place + 1 < pods_.size()) pods_[place] = std::move(pods_.back());
  pods_.pop_back();
  count(*pod->shape, -1);
  return pod;
}

size_t Node::users_of_claim(const std::string& claim) const {
  const auto found = claims_.find(claim);
  return found == claims_.end() ? 0 : found->second;
}

void Node::count(const PodShape& shape, int64_t sign) {
  if (sign > 0) {
    requested_ += shape.requests.exact;
  } else {
    requested_ -= shape.requests.exact;
  }
  scored_milli_cpu_ += sign * shape.requests.scored_milli_cpu;
  scored_memory_ += sign * shape.requests.scored_memory;
  with_affinity_ += shape.has_affinity() ? sign : 0;
  with_anti_affinity_ += shape.anti_affinity.empty() ? 0 : sign;
  for (const HostPort& port : shape.host_ports) {
    if (sign > 0) {
      used_ports_.push_back(port);
      continue;
    }
    const auto found = std::find(used_ports_.begin(), used_ports_.end(), port);
    if (found != used_ports_.end()) used_ports_.erase(found);
  }
  for (const std::string& claim : shape.claims) {
    const std::string key = node_reader::claim_key(shape, claim);
    if (sign > 0) {
      ++claims_[key];
    } else if (const auto found = claims_.find(key); found != claims_.end()) {
      if (--found->second == 0) claims_.erase(found);
    }
  }
}

}  // namespace proa::scheduler
