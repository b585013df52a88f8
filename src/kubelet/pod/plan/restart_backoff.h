#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"

namespace proa::kubelet {

// How long containers of one pod that end again and again wait before they are started again: ten
// seconds, twice as long each time, five minutes at most. One that ran for ten minutes begins anew.
class RestartBackoff {
 public:
  struct Wait {
    Duration whole = {};  // of the wait, as messages say it
    Time until = {};
  };
  // How a container ended last, by its id.
  struct End {
    std::string id = {};
    Time at = {};
  };
  // Nullopt: it may start now, and that is noted. Who asks again after the same end may still
  // start: an image was pulled meanwhile, or an attempt failed.
  std::optional<Wait> start(const std::string& container, const End& end, Time now);

 private:
  struct State {
    Duration wait = {};
    Time noted = {};
    std::string after = {};  // the id of the one after whose end it may start
  };
  std::map<std::string, State> states_;
};

}  // namespace proa::kubelet
