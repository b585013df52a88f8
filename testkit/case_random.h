#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

namespace proa::testkit {

// Randomness for golden scripts, with a seed for each case. The seed of a case depends only on its
// command (and on how often the same command occurred before). So the random values of a case stay
// the same when other cases are added, or when the program under test draws more at its start.
class CaseRandom final : public Random {
 public:
  void begin_case(std::string_view command) EXCLUDES(mutex_);
  void fill(std::span<unsigned char> out) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::map<std::string, uint64_t, std::less<>> seen_ GUARDED_BY(mutex_);
  std::optional<SeededRandom> current_ GUARDED_BY(mutex_){std::in_place, 1};
};

}  // namespace proa::testkit
