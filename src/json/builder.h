#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace proa::json {

// Builds a tree from the events of a parser, in text order. Arrays and objects get exactly the
// space they need, once their end is known.
class Builder {
 public:
  // Paths of duplicate keys are added to `duplicates`, if it is not null; at most kMaxReported, and
  // none after kMaxReportedBytes.
  Builder(Arena& arena, std::vector<std::string>* duplicates)
      : arena_(arena), duplicates_(duplicates) {
    pending_.reserve(kUsuallyPending);
    frames_.reserve(kUsuallyOpen);
  }

  // As many as upstream's strict decoder reports.
  static constexpr size_t kMaxReported = 100;
  // Each path may be as long as the text.
  static constexpr size_t kMaxReportedBytes = size_t{64} << 10;

  Arena& arena() { return arena_; }
  // The maximum depth so far.
  size_t deepest() const { return deepest_; }

  // The key of the next value. REQUIRES: it lies in the arena.
  void key(std::string_view key) { key_ = key; }
  void add(Value value) { pending_.push_back({std::exchange(key_, {}), std::move(value)}); }
  void begin(Kind kind);
  // Ends the innermost array or object. Of duplicate keys, the last value counts, at the position
  // of the first: as encoding/json does.
  void end();

  // REQUIRES: one value was added, and everything begun has ended.
  Value take();

 private:
  struct Frame {
    Kind kind;
    size_t start;          // of its items in pending_
    std::string_view key;  // its own key
  };

  // Enough for most API objects, so that the vector does not grow.
  static constexpr size_t kUsuallyPending = 48;
  static constexpr size_t kUsuallyOpen = 12;

  Value end_array(const Frame& frame);
  Value end_object(const Frame& frame);
  void report_duplicate(std::string_view key);

  Arena& arena_;
  std::vector<std::string>* duplicates_;
  std::string_view key_;
  std::vector<Member> pending_;
  std::vector<Frame> frames_;
  size_t deepest_ = 0;
  size_t reported_bytes_ = 0;
};

}  // namespace proa::json
