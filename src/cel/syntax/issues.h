#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proa::cel {

// What is wrong with an expression, in the words of cel-go: clients see them.
class Issues {
 public:
  // Not at any place of the source.
  static constexpr uint32_t kNowhere = UINT32_MAX;

  explicit Issues(std::string_view source) : source_(source) {}

  // `position`: bytes from the start of the source.
  void add(uint32_t position, std::string message);
  bool empty() const { return issues_.empty(); }
  size_t size() const { return issues_.size(); }

  // "ERROR: <input>:1:5: ...", the line and a mark below the place; by place.
  std::string print() const;

 private:
  struct Issue {
    uint32_t line = 0;
    uint32_t column = 0;
    std::string message;
  };
  void print(const Issue& issue, std::string& out) const;

  std::string_view source_;
  std::vector<Issue> issues_;
  size_t reported_ = 0;
};

}  // namespace proa::cel
