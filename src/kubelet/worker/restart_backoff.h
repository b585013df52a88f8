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
  // `ended`: when the container ended last. Nullopt: it may start now, and that is noted.
  struct Wait {
    Duration whole = {};  // of the wait, as messages say it
    Time until = {};
  };
  std::optional<Wait> start(const std::string& container, Time ended, Time now);

 private:
  struct State {
    Duration wait = {};
    Time noted = {};
  };
  std::map<std::string, State> states_;
};

}  // namespace proa::kubelet
