#pragma once

#include <memory>
#include <unordered_map>

#include "api/object/names.h"
#include "api/object/object.h"
#include "base/time.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// One state of one pod. Immutable.
struct Pod {
  api::ObjectPtr object;
  ShapePtr shape;
  Time created{};
  Time started{};                     // status.startTime; zero if not started
  api::NodeName node = {};            // spec.nodeName, or the node it is assumed on
  api::NodeName nominated_node = {};  // status.nominatedNodeName
  bool gated = false;                 // has scheduling gates
  bool being_deleted = false;
  bool finished = false;  // Succeeded or Failed: uses no resources
  bool has_disruption_condition =
      false;  // DisruptionTarget set by the scheduler: a preemption victim

  std::string_view name() const { return object->metadata().name; }
  std::string_view name_space() const { return object->metadata().name_space; }
  api::UidView uid() const { return api::UidView(object->metadata().uid); }
  api::PodKey key() const { return {std::string(name_space()), std::string(name())}; }
  int32_t priority() const { return shape->priority; }
};
using PodPtr = std::shared_ptr<const Pod>;

// A copy of the pod on that node.
PodPtr on_node(const Pod& pod, api::NodeNameView node);

// Reads pods; equal pods share one PodShape.
class PodReader {
 public:
  PodPtr read(const api::ObjectPtr& pod);
  // A pod that was read is no longer needed. Shapes without pods are removed after a while: they
  // are looked for when there may be many.
  void forget_one();
  // Known shapes.
  size_t shapes() const { return shapes_.size(); }

 private:
  ShapePtr shape_of(const api::Metadata& metadata, const objects::Pod& pod);
  void forget_unused();

  // The key points into the shape.
  std::unordered_map<std::string_view, ShapePtr> shapes_;
  size_t forget_at_ = 1024;  // so many shapes
  size_t gone_ = 0;          // pods, since unused shapes were looked for
};

}  // namespace proa::scheduler
