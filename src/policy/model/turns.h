#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "policy/model/facts.h"

namespace proa::policy {

// Whether a policy has so much in it that others wait while it is written.
bool is_large(const PolicyFacts& facts);

// Large policies of a namespace rest after they took long, so that whoever changes them in a loop
// has a quarter of the time, and other namespaces the rest. Pure; for one thread.
class Turns {
 public:
  static constexpr Duration kLong = std::chrono::milliseconds(20);
  static constexpr int kRest = 3;  // times as long as it took
  static constexpr Duration kLongest = std::chrono::seconds(5);

  // When a large policy of this namespace may be taken; nullopt: now. Otherwise it has its turn.
  std::optional<Steady> take(const std::string& name_space, Steady now);
  // What has had its turn since the last call is written.
  void written(Steady begin, Steady end);

 private:
  std::set<std::string> taken_;
  std::map<std::string, Steady> rests_;  // until when
};

}  // namespace proa::policy
