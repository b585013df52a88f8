#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/cost/memory_pool.h"
#include "base/result.h"
#include "base/threads/deadline.h"

namespace proa {

// What one request may cost, however its input is made: values that it becomes, memory of its
// documents, steps of work on them. One object goes with a request from decoding to validation, and
// every loop that can do more than its input suggests charges it. Once exceeded, it stays so. For
// one thread.
class Budget {
 public:
  struct Limits {
    // Values of the input. An object is limited to 1.5 MB, and has one value in 20 to 30 bytes.
    size_t values = 250'000;
    // Bytes of one document. Objects need two to four per byte of JSON; the rest is left behind by
    // edits.
    size_t memory = size_t{32} << 20;
    // Values that are visited, compared or copied: some tens of nanoseconds each.
    size_t steps = 20'000'000;
  };

  // The limits of a request.
  Budget() : Budget(Limits{}) {}
  explicit Budget(const Limits& limits)
      : limits_(limits), values_left_(limits.values), steps_left_(limits.steps) {}
  // Memory beyond kFreeMemory comes from the pool, which outlives this.
  explicit Budget(MemoryPool& pool) : Budget() { pool_ = &pool; }
  // A copy has the same amounts left, but takes memory of its own.
  Budget(const Budget& other);
  Budget(Budget&& other) noexcept;
  Budget& operator=(Budget other) noexcept;
  ~Budget() {
    if (granted_ > kFreeMemory) give_back();
  }
  // For input of trusted origin: only the growth of a document of `present` bytes is limited. A
  // field of two bytes becomes a member of 32, plus its key.
  static Budget for_growth(size_t present, size_t input);

  // It is also exceeded once the time is up or the client is gone, which taking steps looks at now
  // and then. REQUIRES: the clock outlives this.
  void end_with(Until until, const Clock& clock);
  // Looks at the time: for work that is not counted in steps. False if it is pointless.
  bool in_time() {
    look();
    return !exceeded();
  }
  // What a request fails with whose time is up.
  static Status timeout();

  // The rest of the work is pointless if these return false.
  bool take_values(size_t count) { return take(values_left_, count, Part::kValues); }
  bool take_steps(size_t count) {
    take(steps_left_, count, Part::kSteps);
    if (steps_left_ <= look_below_) [[unlikely]]
      look();
    return !exceeded();
  }
  // Elements that move up or down in a list.
  bool take_moves(size_t count) { return take_steps(count / kMovesPerStep + 1); }
  // Whether a document may have that many bytes, or some work may take them.
  bool holds(size_t bytes) {
    if (bytes > granted_) [[unlikely]]
      grant(bytes);
    return !exceeded();
  }

  size_t values_left() const { return values_left_; }
  bool exceeded() const { return exceeded_ != Part::kNone; }
  // kRequestEntityTooLarge, and what was too much; kTooManyRequests if the pool is exhausted;
  // kTimeout.
  Result<void> check() const;
  // REQUIRES: exceeded().
  Status status() const;

 private:
  enum class Part : uint8_t { kNone, kValues, kMemory, kSteps, kPool, kTime };

  // Most requests need less.
  static constexpr size_t kFreeMemory = size_t{1} << 20;
  // Taken from the pool at once.
  static constexpr size_t kPortion = size_t{2} << 20;

  // Less than a millisecond.
  static constexpr size_t kStepsPerLook = 10'000;

  // Neighbours are moved at the speed of memory.
  static constexpr size_t kMovesPerStep = 8;

  bool take(size_t& left, size_t count, Part part) {
    if (count > left) [[unlikely]]
      exceed(part);
    left -= count > left ? left : count;
    return !exceeded();
  }
  void exceed(Part part) {
    if (!exceeded()) exceeded_ = part;
  }
  void grant(size_t bytes);
  void look();
  void give_back();

  Limits limits_;
  size_t values_left_;
  size_t steps_left_;
  // Memory that it may use. Never more than the limit, so that holds() compares once.
  size_t granted_ = 0;
  MemoryPool* pool_ = nullptr;  // null: unlimited
  size_t look_below_ = 0;       // steps that are left at the next look at the time
  Until until_;
  const Clock* clock_ = nullptr;  // null: there is time without end
  Part exceeded_ = Part::kNone;
};

}  // namespace proa
