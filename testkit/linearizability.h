#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proa::testkit {

// One operation of one client on a register: what it asked, what it was told, and when. Zero means
// "there is nothing". Times come from one counter: a call has its own, and so has a return.
struct RegisterOperation {
  enum class Kind : uint8_t { kRead, kCompareAndSet };
  Kind kind = Kind::kRead;
  std::string key;
  int64_t expected = 0;  // compare-and-set: what must be there
  int64_t value = 0;     // compare-and-set: what to put there
  // What was found: by a read; by a compare-and-set that failed. Absent for one that succeeded.
  std::optional<int64_t> found;
  int64_t called = 0;
  // Absent when nobody was told: it may have happened at any time after the call, or never.
  std::optional<int64_t> returned;
};

// Whether the operations can be put into an order in which each takes effect at once, between its
// call and its return, and each was told the truth. Says what can't be when not; nullopt when it
// can. Wing and Gong's search, key by key, remembering the states that led nowhere (Lowe).
std::optional<std::string> find_violation(std::vector<RegisterOperation> history);

}  // namespace proa::testkit
