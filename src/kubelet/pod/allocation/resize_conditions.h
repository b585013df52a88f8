#pragma once

#include <optional>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

struct ResizeCondition {
  std::string reason = {};  // "Deferred"; "Error" of a resize in progress, or empty
  std::string message = {};
  int64_t generation = 0;  // of the spec it refers to
  Time since = {};         // of this reason
  Time told = {};          // lastProbeTime

  bool operator==(const ResizeCondition&) const = default;
};

// The conditions PodResizePending (the node lacks the resources) and PodResizeInProgress (the
// containers do not have their allocated resources yet).
struct ResizeConditions {
  std::optional<ResizeCondition> pending = {};
  std::optional<ResizeCondition> in_progress = {};
};

// From a status.
ResizeConditions read_resize_conditions(api::View status);

// The message of an Event: what happens, then the resources of all containers in JSON. `error` may
// be empty.
std::string resize_message(std::string_view what, const Pod& pod, int64_t generation,
                           std::string_view error);

}  // namespace proa::kubelet
