#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The pods of this node, as its server needs them. From any thread.
class PodDirectory {
 public:
  virtual ~PodDirectory() = default;
  // Null when there is none. Of a static pod: the pod itself, not its mirror.
  virtual PodPtr find(std::string_view name_space, std::string_view name) const = 0;
  virtual std::vector<PodPtr> all() const = 0;
  // What was last found out about it; null: nothing yet, what the API says must do.
  virtual std::shared_ptr<const json::Document> status(const Pod& pod) const = 0;
};

}  // namespace proa::kubelet
