#pragma once

#include <cstddef>

#include "json/arena.h"

namespace proa::api {

// Limits the memory of a decoded document. A field of two bytes becomes a member of 32, plus its
// key; more growth means an attack.
class Budget {
 public:
  Budget(const json::Arena& arena, size_t input_size)
      : arena_(arena), most_(arena.reserved() + kSlack + input_size * kGrowth) {}

  bool exceeded() const { return arena_.reserved() > most_; }

 private:
  static constexpr size_t kGrowth = 32;
  static constexpr size_t kSlack = size_t{1} << 20;

  const json::Arena& arena_;
  size_t most_;
};

}  // namespace proa::api
