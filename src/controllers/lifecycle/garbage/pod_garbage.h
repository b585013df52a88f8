#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers {

// Which pods nobody looks after any more, and what they end as. Touches nothing.

// What is asked of every pod that changes: read without making a tree of it.
struct PodSketch {
  std::string_view node;  // views into the pod's text
  std::string_view phase;
  bool being_deleted = false;
  bool has_grace = false;  // being deleted, with time left

  bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
};
PodSketch sketch_of(const api::Object& pod);

// Whether somebody says that the node is down and stays so: its kubelet will end no pod.
bool is_out_of_service(const api::Object& node);
// The same, but perhaps it is ready nevertheless. Cheap.
bool is_marked_out_of_service(const api::Object& node);

// Those that are more than `most`: evicted ones first, then the oldest.
std::vector<api::ObjectPtr> surplus_of(std::vector<api::ObjectPtr> finished, size_t most);

// A strategic patch of the status of a pod that will never come to its end by itself: it failed.
// `node_is_gone`: and that is why.
std::string failed_patch(const api::Object& pod, bool node_is_gone, Time now);

}  // namespace proa::controllers
