#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/threads/mutex.h"

namespace proa {

// The source of randomness. Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<unsigned char> out) = 0;

  uint64_t next();
  // Uniform over [0, bound). REQUIRES: bound > 0.
  uint64_t below(uint64_t bound);
};

// The kernel's generator: for keys, tokens, uids.
class SystemRandom final : public Random {
 public:
  void fill(std::span<unsigned char> out) override;
};

// The same sequence for the same seed: for tests and the simulation.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  void fill(std::span<unsigned char> out) override;

 private:
  Mutex mutex_;
  uint64_t state_ GUARDED_BY(mutex_);
};

// A random (version 4) UUID: "7d444840-9dc0-11d1-b245-5ffdce74fad2".
std::string make_uid(Random& random);
// `length` characters that cannot spell words, as generateName appends them.
std::string make_suffix(Random& random, size_t length);

}  // namespace proa
