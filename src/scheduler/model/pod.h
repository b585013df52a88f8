#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "api/object/object.h"
#include "base/time.h"
#include "client/key.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// One state of one pod. Immutable.
struct Pod {
  api::ObjectPtr object;
  ShapePtr shape;
  Time created{};
  Time started{};                   // status.startTime; zero: not yet
  std::string node = {};            // spec.nodeName: where it is bound to, or assumed to be
  std::string nominated_node = {};  // where room is being made for it
  bool gated = false;               // has scheduling gates
  bool being_deleted = false;
  bool finished = false;                  // Succeeded or Failed: takes nothing of its node
  bool has_disruption_condition = false;  // DisruptionTarget by the scheduler: a victim

  std::string_view name() const { return object->metadata().name; }
  std::string_view name_space() const { return object->metadata().name_space; }
  std::string_view uid() const { return object->metadata().uid; }
  client::Key key() const { return client::Key::of(*object); }
  int32_t priority() const { return shape->priority; }
};
using PodPtr = std::shared_ptr<const Pod>;

// The same pod, on that node.
PodPtr on_node(const Pod& pod, std::string_view node);

// Reads pods, and gives those of one shape the same one.
class PodReader {
 public:
  PodPtr read(const api::ObjectPtr& pod);
  // Shapes that are known; those that no pod has any more are forgotten by and by.
  size_t shapes() const { return shapes_.size(); }

 private:
  ShapePtr shape_of(const api::Metadata& metadata, api::View root);
  void forget_unused();

  std::unordered_map<std::string, std::weak_ptr<const PodShape>> shapes_;
  size_t forget_at_ = 1024;
};

}  // namespace proa::scheduler
