#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proa::kinds {

// Warnings about an object, in order. Bounded: a response has room for a few thousand bytes of
// them, and an object may have a hundred thousand parts to warn about.
class Warnings {
 public:
  // More than a response takes (upstream: 4096 characters).
  static constexpr size_t kMaxBytes = size_t{64} << 10;

  Warnings() = default;
  Warnings(std::initializer_list<std::string> texts) : texts_(texts) {}

  // Whether further warnings are dropped: those that are expensive to word need not be.
  bool full() const { return bytes_ >= kMaxBytes; }
  void push_back(std::string text) {
    if (full()) return;
    bytes_ += text.size();
    texts_.push_back(std::move(text));
  }
  void emplace_back(std::string_view text) { push_back(std::string(text)); }

  const std::vector<std::string>& all() const { return texts_; }
  bool operator==(const Warnings& other) const { return texts_ == other.texts_; }

 private:
  std::vector<std::string> texts_;
  size_t bytes_ = 0;
};

}  // namespace proa::kinds
