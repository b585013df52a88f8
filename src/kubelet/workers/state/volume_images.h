#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "kubelet/runtime/images/image_puller.h"

namespace proa::kubelet {

// The images of a pod's volumes, from one pass over its containers to the next. In a pass, each is
// ensured once, however many containers mount it. A ready image is kept until a container uses it:
// while the container waits for another one, the pull policy Always would pull it in every pass.
class VolumeImages {
 public:
  // Forgets images that are not ready, and those that a container used.
  void begin_pass() {
    std::erase_if(images_, [](const auto& entry) {
      return entry.second.is_used || entry.second.state.kind != ImageState::Kind::kReady;
    });
  }
  // What `ensure` returned in this pass, or a kept image.
  const ImageState& find(const std::string& volume, const std::function<ImageState()>& ensure) {
    const auto known = images_.find(volume);
    if (known != images_.end()) return known->second.state;
    return images_.emplace(volume, Entry{.state = ensure()}).first->second.state;
  }
  // A container is about to be created with it.
  void use(std::string_view volume) {
    const auto known = images_.find(volume);
    if (known != images_.end()) known->second.is_used = true;
  }

 private:
  struct Entry {
    ImageState state = {};
    bool is_used = false;
  };
  std::map<std::string, Entry, std::less<>> images_;  // by volume name
};

}  // namespace proa::kubelet
