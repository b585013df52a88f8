#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cel/values/context.h"

namespace proa::cel {

// What functions make can be far longer than what their cost pays for.
constexpr size_t kLongestText = size_t{8} << 20;
constexpr std::string_view kTooLong = "string is too long";

// A text that values are written into. Lists can share their items, so that a small one has more
// text than there are memory and time for: it is full beyond its limit, and once the request has
// ended that a context pays for.
class LimitedText {
 public:
  explicit LimitedText(size_t limit, Context* context = nullptr)
      : limit_(limit), context_(context) {}

  // False if it is full: the text is not added then, nor is any later one.
  bool add(std::string_view text) {
    full_ = full_ || text.size() > limit_ - text_.size() || !pay(text.size());
    if (!full_) text_ += text;
    return !full_;
  }
  // Whether so much has room: asked before a long text is made.
  bool fits(size_t size) {
    full_ = full_ || size > limit_ - text_.size();
    return !full_;
  }
  bool full() const { return full_; }
  size_t size() const { return text_.size(); }

  // An entry of a map: its key and its value, which are parts of the text.
  struct Entry {
    size_t begin = 0;
    size_t key_end = 0;
    size_t end = 0;
  };
  // Brings the entries, which are the end of the text without gaps, into the order of their keys,
  // with a separator between them.
  bool sort(std::span<Entry> entries, std::string_view separator);

  const std::string& text() const { return text_; }

 private:
  // Pays for the bytes that come.
  bool pay(size_t bytes) {
    // Few values have less text.
    constexpr size_t kBytesPerStep = 8;
    const size_t steps = (text_.size() + bytes) / kBytesPerStep - text_.size() / kBytesPerStep;
    return context_ == nullptr || context_->take_steps(steps);
  }

  const size_t limit_;
  Context* context_;  // null: none
  std::string text_;
  bool full_ = false;
};

}  // namespace proa::cel
