#include "kinds/batch/job_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::kinds {

namespace job_indexes {

struct Interval {
  int64_t first = 0;
  int64_t last = 0;
};

Status bad(std::string message) { return Status(Reason::kBadRequest, std::move(message)); }

Result<int64_t> parse_index(std::string_view text, int64_t completions) {
  const auto index = parse_int(text);
  if (!index) return bad("cannot convert string to integer for index: " + api::quoted(text));
  if (*index >= completions) return bad("too large index: " + api::quoted(text));
  return *index;
}

Result<Interval> parse_interval(std::string_view text, int64_t completions) {
  const auto limits = split(text, '-');
  if (limits.size() > 2) {
    return bad(
        fmt::format("the fragment {} violates the requirement that an index interval can "
                    "have at most two parts separated by '-'",
                    api::quoted(text)));
  }
  const int64_t first = TRY(parse_index(limits[0], completions));
  if (limits.size() == 1) return Interval{first, first};
  const int64_t last = TRY(parse_index(limits[1], completions));
  if (first >= last) {
    return bad(fmt::format("non-increasing order, previous: {}, current: {}", first, last));
  }
  return Interval{first, last};
}

std::vector<Interval> readable_intervals(std::string_view indexes, int64_t completions) {
  std::vector<Interval> intervals;
  if (indexes.empty()) return intervals;
  for (const std::string_view part : split(indexes, ',')) {
    const auto interval = parse_interval(part, completions);
    if (interval.ok()) intervals.push_back(*interval);
  }
  return intervals;
}

}  // namespace job_indexes

Result<int64_t> count_indexes(std::string_view indexes, int64_t completions) {
  if (indexes.empty()) return int64_t{0};
  int64_t total = 0;
  std::optional<int64_t> previous;
  for (const std::string_view part : split(indexes, ',')) {
    const job_indexes::Interval interval = TRY(job_indexes::parse_interval(part, completions));
    if (previous && *previous >= interval.first) {
      return job_indexes::bad(fmt::format("non-increasing order, previous: {}, current: {}",
                                          *previous, interval.first));
    }
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return total;
}

Result<void> check_disjoint_indexes(std::string_view completed, std::string_view failed,
                                    int64_t completions) {
  const auto done = job_indexes::readable_intervals(completed, completions);
  const auto lost = job_indexes::readable_intervals(failed, completions);
  for (size_t i = 0, j = 0; i < done.size() && j < lost.size();) {
    if (done[i].first <= lost[j].last && lost[j].first <= done[i].last) {
      return job_indexes::bad(fmt::format("failedIndexes and completedIndexes overlap at index: {}",
                                          std::max(done[i].first, lost[j].first)));
    }
    if (done[i].first <= lost[j].first) {
      ++i;
    } else {
      ++j;
    }
  }
  return {};
}

}  // namespace proa::kinds
