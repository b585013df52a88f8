#include "scheduler/model/pod.h"

#include "api/object/view.h"

namespace proa::scheduler {
namespace pod_reader {

using api::View;

Time time_of(View text) {
  const Result<Time> time = parse_time(text.text());
  return time ? *time : Time{};
}

bool is_victim(View status) {
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() == "DisruptionTarget") {
      return condition["status"].text() == "True" &&
             condition["reason"].text() == "PreemptionByScheduler";
    }
  }
  return false;
}

}  // namespace pod_reader

PodPtr on_node(const Pod& pod, std::string_view node) {
  auto placed = std::make_shared<Pod>(pod);
  placed->node = node;
  return placed;
}

PodPtr PodReader::read(const api::ObjectPtr& pod) {
  const Result<json::Document> document = pod->document();
  auto read = std::make_shared<Pod>();
  read->object = pod;
  const api::View root = document ? api::View(document->root()) : api::View();
  const api::Metadata& metadata = pod->metadata();
  read->shape = shape_of(metadata, root);
  const api::View status = root["status"];
  read->created = pod_reader::time_of(root["metadata"]["creationTimestamp"]);
  read->started = pod_reader::time_of(status["startTime"]);
  read->node = root["spec"]["nodeName"].text();
  read->nominated_node = status["nominatedNodeName"].text();
  read->gated = !root["spec"]["schedulingGates"].empty();
  read->being_deleted = metadata.being_deleted;
  const std::string_view phase = status["phase"].text();
  read->finished = phase == "Succeeded" || phase == "Failed";
  read->has_disruption_condition = pod_reader::is_victim(status);
  return read;
}

ShapePtr PodReader::shape_of(const api::Metadata& metadata, api::View root) {
  std::string key = shape_key(metadata, root);
  std::weak_ptr<const PodShape>& known = shapes_[key];
  if (ShapePtr shape = known.lock()) return shape;
  auto made = std::make_shared<const PodShape>(read_shape(metadata, root, std::move(key)));
  known = made;
  if (shapes_.size() >= forget_at_) forget_unused();
  return made;
}

void PodReader::forget_unused() {
  std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
  forget_at_ = std::max<size_t>(1024, 2 * shapes_.size());
}

}  // namespace proa::scheduler
