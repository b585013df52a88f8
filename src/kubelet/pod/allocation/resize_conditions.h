#pragma once

#include <optional>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

struct ResizeCondition {
  std::string reason = {};  // "Deferred"; "Error" of one that is in progress, or nothing
  std::string message = {};
  int64_t generation = 0;  // of the spec that it is about
  Time since = {};         // of this reason
  Time told = {};          // lastProbeTime

  bool operator==(const ResizeCondition&) const = default;
};

// The conditions PodResizePending (the node has no room for what is wanted) and PodResizeInProgress
// (what was given is not what the containers have).
struct ResizeConditions {
  std::optional<ResizeCondition> pending = {};
  std::optional<ResizeCondition> in_progress = {};
};

// As they stand in a status.
ResizeConditions read_resize_conditions(api::View status);

// The message of an Event: what happens, and after it in JSON the resources of all containers.
// `error` may be empty.
std::string resize_message(std::string_view what, const Pod& pod, int64_t generation,
                           std::string_view error);

}  // namespace proa::kubelet
