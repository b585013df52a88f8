#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"

namespace proa::apiserver {

// Keys of cached answers. They are hashes, so that tokens are not kept in memory, and include a
// secret, so that nobody can construct collisions.
class AnswerKeys {
 public:
  explicit AnswerKeys(Random& random) { random.fill(secret_); }

  // Different parts give different keys, even if their concatenations are equal.
  std::string of(std::span<const std::string_view> parts) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace proa::apiserver
