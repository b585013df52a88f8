#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"

namespace proa::kubelet {

// Restart back-off of the containers of one pod: ten seconds, doubled after each exit, five minutes
// at most. A container that ran for ten minutes starts over.
class RestartBackoff {
 public:
  struct Wait {
    Duration whole = {};  // the whole delay, for messages
    Time until = {};
  };
  // The last exit of a container.
  struct End {
    std::string id = {};
    Time at = {};
  };
  // Nullopt: it may start now, which is recorded. A repeated call after the same exit may start,
  // too: an image was pulled meanwhile, or a start failed.
  std::optional<Wait> start(const std::string& container, const End& end, Time now);

 private:
  struct State {
    Duration wait = {};
    Time noted = {};
    std::string after = {};  // the id of the container after whose exit it may start
  };
  std::map<std::string, State> states_;
};

}  // namespace proa::kubelet
