#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proa::controllers::jobs {

// A set of job indexes, in the notation of statuses and policies: "1,3-5,7".
class Indexes {
 public:
  Indexes() = default;
  // In any order, with duplicates.
  explicit Indexes(const std::vector<int64_t>& indexes);
  // Only indexes below `completions`: an indexed job may have shrunk. Invalid parts are skipped.
  static Indexes parse(std::string_view text, int64_t completions);

  std::string str() const;
  bool empty() const { return spans_.empty(); }
  int64_t count() const;
  int64_t count_common(const Indexes& other) const;
  bool has(int64_t index) const;
  void add(const Indexes& other);
  // The first `count` indexes below `completions` that are not in this set.
  std::vector<int64_t> first_missing(int64_t count, int64_t completions) const;

  bool operator==(const Indexes&) const = default;

 private:
  struct Span {
    int64_t first;
    int64_t last;
    auto operator<=>(const Span&) const = default;
  };
  void normalize();

  std::vector<Span> spans_;  // ascending and not adjacent
};

}  // namespace proa::controllers::jobs
