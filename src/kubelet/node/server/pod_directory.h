#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The pods of this node, for its server. From any thread.
class PodDirectory {
 public:
  virtual ~PodDirectory() = default;
  // Null if there is none. For a static pod: the pod itself, not its mirror.
  virtual PodPtr find(std::string_view name_space, std::string_view name) const = 0;
  virtual std::vector<PodPtr> all() const = 0;
  // The status as computed last; null: none yet, use the API server's.
  virtual std::shared_ptr<const json::Document> status(const Pod& pod) const = 0;
};

}  // namespace proa::kubelet
