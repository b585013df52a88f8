#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"

namespace proa::apiserver {

// Names for answers that are kept. They are hashes, so that no token lies in memory for as long as
// its answer does, with something secret in them, so that nobody can look for two that are equal.
class AnswerKeys {
 public:
  explicit AnswerKeys(Random& random) { random.fill(secret_); }

  // Other parts give another key, also where only the bounds between them differ.
  std::string of(std::span<const std::string_view> parts) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace proa::apiserver
