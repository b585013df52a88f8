#pragma once

#include <atomic>
#include <optional>

#include "base/time.h"

namespace proa::kubelet {

// Whether the node stops: containers end as if their pod ended, and nothing is started any more;
// but the pods stay, and a later kubelet starts them again. From any thread.
class NodeHalt {
 public:
  // For good. No pod gets more grace than that.
  void begin(Duration most_grace) { most_grace_ = most_grace.count(); }
  // Nullopt while the node does not stop.
  std::optional<Duration> most_grace() const {
    const Duration::rep most = most_grace_;
    return most < 0 ? std::nullopt : std::optional(Duration(most));
  }

 private:
  std::atomic<Duration::rep> most_grace_ = -1;
};

}  // namespace proa::kubelet
