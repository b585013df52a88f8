#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers {

// Which pods are garbage, and their final status. Pure functions.

// What is read of every changed pod, without parsing it completely.
struct PodSketch {
  std::string_view node;  // views into the pod's text
  std::string_view phase;
  bool being_deleted = false;
  bool has_grace = false;  // being deleted, within its grace period

  bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
};
PodSketch sketch_of(const api::Object& pod);

// Whether the node is marked out-of-service and not ready: its kubelet will not stop pods.
bool is_out_of_service(const api::Object& node);
// The same without the check for readiness. Cheap.
bool is_marked_out_of_service(const api::Object& node);

// The pods beyond `most`: evicted ones first, then the oldest.
std::vector<api::ObjectPtr> surplus_of(std::vector<api::ObjectPtr> finished, size_t most);

// A strategic merge patch that marks a pod as failed which will not terminate by itself.
// `node_is_gone`: the reason.
std::string failed_patch(const api::Object& pod, bool node_is_gone, Time now);

}  // namespace proa::controllers
