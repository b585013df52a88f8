#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace proa::json {

// Puts a tree together from the events of a parser, in the order of the text. Arrays and objects
// get exactly the room that they need, once their end is known.
class Builder {
 public:
  // Paths of keys that came twice are added to `duplicates`, if it is not null; at most
  // kMostReported.
  Builder(Arena& arena, std::vector<std::string>* duplicates)
      : arena_(arena), duplicates_(duplicates) {
    pending_.reserve(kUsuallyPending);
    frames_.reserve(kUsuallyOpen);
  }

  // As many as upstream's strict decoder reports.
  static constexpr size_t kMostReported = 100;

  Arena& arena() { return arena_; }
  // The most levels that were open at once.
  size_t deepest() const { return deepest_; }

  // The key of the value that comes next. REQUIRES: it lies in the arena.
  void key(std::string_view key) { key_ = key; }
  void add(Value value) { pending_.push_back({std::exchange(key_, {}), std::move(value)}); }
  void begin(Kind kind);
  // Of the innermost array or object. Of keys that came twice, the last value counts, at the place
  // of the first: what encoding/json does.
  void end();

  // REQUIRES: one value was added, and all that began has ended.
  Value take();

 private:
  struct Frame {
    Kind kind;
    size_t start;          // of its items in pending_
    std::string_view key;  // that it stands under itself
  };

  // Enough for most objects of the API, so that building one grows nothing.
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
};

}  // namespace proa::json
