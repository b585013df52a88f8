#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proa::testkit {

// One operation of a client on a register, with its result and times. Zero means absent. Times come
// from one counter: calls and returns have distinct values.
struct RegisterOperation {
  enum class Kind : uint8_t { kRead, kCompareAndSet };
  Kind kind = Kind::kRead;
  std::string key;
  int64_t expected = 0;  // compare-and-set: the expected value
  int64_t value = 0;     // compare-and-set: the new value
  // The value seen by a read or by a failed compare-and-set. Nullopt for a successful one.
  std::optional<int64_t> found;
  int64_t called = 0;
  // Nullopt if there was no response: it may have taken effect at any time after the call, or
  // never.
  std::optional<int64_t> returned;
};

// Checks linearizability: whether there is an order in which each operation takes effect atomically
// between its call and its return, consistent with its result. Returns a description of a
// violation; nullopt if there is none. Wing and Gong's search per key, with memoization of dead
// ends (Lowe).
std::optional<std::string> find_violation(std::vector<RegisterOperation> history);

}  // namespace proa::testkit
