#include "scheduler/model/pod.h"

#include "base/log.h"

namespace proa::scheduler {
namespace pod_reader {

const Log kLog{"scheduler"};

// So many unused shapes are not worth looking for.
constexpr size_t kFew = 256;

bool is_victim(const objects::PodStatus& status) {
  const objects::PodCondition* target = status.condition("DisruptionTarget");
  return target != nullptr && target->status == "True" && target->reason == "PreemptionByScheduler";
}

}  // namespace pod_reader

PodPtr on_node(const Pod& pod, api::NodeNameView node) {
  auto placed = std::make_shared<Pod>(pod);
  placed->node = api::NodeName(node);
  return placed;
}

PodPtr PodReader::read(const api::ObjectPtr& pod) {
  const api::Metadata& metadata = pod->metadata();
  auto read = std::make_shared<Pod>();
  read->object = pod;
  Result<objects::Pod> decoded = api::decode<objects::Pod>(*pod);
  if (!decoded) {
    pod_reader::kLog.warn("decoding the pod failed",
                          {{"pod", read->key().str()}, {"error", decoded.status()}});
    decoded = objects::Pod();
  }
  const objects::PodSpec& spec = decoded->spec;
  const objects::PodStatus& status = decoded->status;
  read->shape = shape_of(metadata, *decoded);
  read->created = decoded->metadata.created;
  read->started = status.started;
  read->node = api::NodeName(spec.node);
  read->nominated_node = api::NodeName(status.nominated_node);
  read->gated = !spec.gates.empty();
  read->being_deleted = metadata.being_deleted;
  read->finished = status.phase == "Succeeded" || status.phase == "Failed";
  read->has_disruption_condition = pod_reader::is_victim(status);
  return read;
}

ShapePtr PodReader::shape_of(const api::Metadata& metadata, const objects::Pod& pod) {
  std::string key = shape_key(metadata, pod);
  if (const auto known = shapes_.find(key); known != shapes_.end()) return known->second;
  // Pods also leave a shape without being gone: each state of a pod is read anew.
  if (shapes_.size() >= forget_at_) forget_unused();
  auto made = std::make_shared<const PodShape>(read_shape(metadata, pod, std::move(key)));
  shapes_.emplace(made->key, made);
  return made;
}

void PodReader::forget_one() {
  if (++gone_ > pod_reader::kFew + shapes_.size() / 2) forget_unused();
}

void PodReader::forget_unused() {
  std::erase_if(shapes_, [](const auto& entry) { return entry.second.use_count() == 1; });
  forget_at_ = std::max<size_t>(1024, 2 * shapes_.size());
  gone_ = 0;
}

}  // namespace proa::scheduler
