#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "api/object/names.h"
#include "base/time.h"

namespace proa::kubelet {

// Image pull back-off per pod: ten seconds after the first failure, doubled after each further one,
// five minutes at most. For one thread at a time.
class PullBackoff {
 public:
  struct Failure {
    Steady until = {};
    std::string error = {};  // "ErrImagePull: no such image"
  };
  // The current delay.
  Duration failed(api::UidView pod_uid, const std::string& image, Steady now, std::string error);
  // Nullopt: it may be pulled now.
  std::optional<Failure> waits(api::UidView pod_uid, const std::string& image, Steady now) const;
  void forget(api::UidView pod_uid);

 private:
  struct Entry {
    Duration wait = {};
    Steady updated = {};
    std::string error = {};
  };
  std::map<std::pair<api::Uid, std::string>, Entry> entries_;
};

}  // namespace proa::kubelet
