#include "controllers/workload/job/indexes.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::controllers::jobs {

Indexes::Indexes(const std::vector<int64_t>& indexes) {
  spans_.reserve(indexes.size());
  for (const int64_t index : indexes) spans_.push_back({index, index});
  normalize();
}

Indexes Indexes::parse(std::string_view text, int64_t completions) {
  Indexes indexes;
  for (const std::string_view part : split(text, ',')) {
    const auto halves = split_once(part, '-');
    const std::optional<int64_t> first = parse_int(halves ? halves->before : part);
    const std::optional<int64_t> last = parse_int(halves ? halves->after : part);
    if (!first || !last || *first < 0 || *first >= completions) continue;
    indexes.spans_.push_back({*first, std::clamp(*last, *first, completions - 1)});
  }
  indexes.normalize();
  return indexes;
}

void Indexes::normalize() {
  std::sort(spans_.begin(), spans_.end());
  std::vector<Span> joined;
  for (const Span& span : spans_) {
    if (!joined.empty() && span.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, span.last);
    } else {
      joined.push_back(span);
    }
  }
  spans_ = std::move(joined);
}

std::string Indexes::str() const {
  std::string text;
  for (const Span& span : spans_) {
    if (!text.empty()) text += ',';
    text += std::to_string(span.first);
    if (span.last == span.first) continue;
    text += span.last == span.first + 1 ? ',' : '-';
    text += std::to_string(span.last);
  }
  return text;
}

int64_t Indexes::count() const {
  int64_t count = 0;
  for (const Span& span : spans_) count += span.last - span.first + 1;
  return count;
}

int64_t Indexes::count_common(const Indexes& other) const {
  int64_t count = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < spans_.size() && j < other.spans_.size()) {
    const Span& mine = spans_[i];
    const Span& theirs = other.spans_[j];
    const int64_t first = std::max(mine.first, theirs.first);
    const int64_t last = std::min(mine.last, theirs.last);
    if (first <= last) count += last - first + 1;
    // The span that ends first cannot intersect what follows.
    if (mine.last == last) ++i;
    if (theirs.last == last) ++j;
  }
  return count;
}

bool Indexes::has(int64_t index) const {
  const auto behind =
      std::upper_bound(spans_.begin(), spans_.end(), index,
                       [](int64_t wanted, const Span& span) { return wanted < span.first; });
  return behind != spans_.begin() && std::prev(behind)->last >= index;
}

void Indexes::add(const Indexes& other) {
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
  normalize();
}

std::vector<int64_t> Indexes::first_missing(int64_t count, int64_t completions) const {
  std::vector<int64_t> missing;
  const auto take_until = [&](int64_t from, int64_t end) {
    for (int64_t i = from; i < end && std::ssize(missing) < count; ++i) missing.push_back(i);
  };
  int64_t next = 0;
  for (const Span& span : spans_) {
    take_until(next, std::min(span.first, completions));
    next = span.last + 1;
  }
  take_until(next, completions);
  return missing;
}

}  // namespace proa::controllers::jobs
