#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proa::controllers::jobs {

// Some of the indexes of a job, as statuses and policies write them: "1,3-5,7".
class Indexes {
 public:
  Indexes() = default;
  // In any order, and as often as they like.
  explicit Indexes(const std::vector<int64_t>& indexes);
  // Those that are less than `completions`: an indexed job may have shrunk. Parts that can't be
  // read are passed over.
  static Indexes parse(std::string_view text, int64_t completions);

  std::string str() const;
  bool empty() const { return spans_.empty(); }
  int64_t count() const;
  int64_t count_common(const Indexes& other) const;
  bool has(int64_t index) const;
  void add(const Indexes& other);
  // The first `count` of those that are less than `completions` and not among these.
  std::vector<int64_t> first_missing(int64_t count, int64_t completions) const;

  bool operator==(const Indexes&) const = default;

 private:
  struct Span {
    int64_t first;
    int64_t last;
    auto operator<=>(const Span&) const = default;
  };
  void normalize();

  std::vector<Span> spans_;  // ascending; between two of them, something is missing
};

}  // namespace proa::controllers::jobs
