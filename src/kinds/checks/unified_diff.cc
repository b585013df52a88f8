#include "kinds/checks/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "base/text/seeded_hash.h"

namespace proa::kinds {
namespace diff {

using Lines = std::vector<std::string_view>;

constexpr size_t kContext = 3;
// Lines that are more frequent than one in a hundred say nothing about where things are; in long
// texts they do not begin a match.
constexpr size_t kLong = 200;
// Lines and matches that are looked at, which may be many more than there are.
constexpr size_t kMaxWork = 3'000'000;
constexpr std::string_view kTooLong = "(too long to be shown)\n";

struct Match {
  size_t a = 0;
  size_t b = 0;
  size_t size = 0;
};

enum class Tag : uint8_t { kEqual, kReplace, kDelete, kInsert };

struct Step {
  Tag tag;
  size_t a1, a2, b1, b2;
};

// The part of both texts that is still to be compared.
struct Part {
  size_t a1, a2, b1, b2;
};

class Matcher {
 public:
  Matcher(const Lines& a, const Lines& b)
      : a_(a), b_(b), lengths_(b.size() + 1), next_(b.size() + 1) {
    for (size_t i = 0; i < b.size(); ++i) places_[b[i]].push_back(i);
    if (b.size() >= kLong) {
      const size_t most = b.size() / 100 + 1;
      std::erase_if(places_, [&](const auto& each) { return each.second.size() > most; });
    }
    for (const std::string_view line : a) {
      const auto found = places_.find(line);
      matches_.push_back(found == places_.end() ? nullptr : &found->second);
    }
  }

  // Whether the steps are not all there.
  bool gave_up() const { return work_ > kMaxWork; }

  std::vector<Step> steps() {
    std::vector<Step> steps;
    size_t i = 0;
    size_t j = 0;
    for (const Match& match : blocks()) {
      if (i < match.a || j < match.b) {
        const Tag tag = i == match.a ? Tag::kInsert : j == match.b ? Tag::kDelete : Tag::kReplace;
        steps.push_back({tag, i, match.a, j, match.b});
      }
      i = match.a + match.size;
      j = match.b + match.size;
      if (match.size > 0) steps.push_back({Tag::kEqual, match.a, i, match.b, j});
    }
    return steps;
  }

 private:
  // The longest match, the first one of several.
  Match longest(const Part& part) {
    Match best{part.a1, part.b1, 0};
    std::vector<size_t> touched;
    std::vector<size_t> now;
    for (size_t i = part.a1; i < part.a2; ++i) {
      now.clear();
      const std::span<const size_t> places =
          matches_[i] == nullptr ? std::span<const size_t>() : std::span(*matches_[i]);
      work_ += 1 + places.size();
      for (const size_t j : places) {
        if (j < part.b1) continue;
        if (j >= part.b2) break;
        const size_t length = (j == 0 ? 0 : lengths_[j - 1]) + 1;
        next_[j] = length;
        now.push_back(j);
        if (length > best.size) best = {i + 1 - length, j + 1 - length, length};
      }
      for (const size_t j : touched) lengths_[j] = 0;
      for (const size_t j : now) lengths_[j] = next_[j];
      std::swap(touched, now);
    }
    for (const size_t j : touched) lengths_[j] = 0;
    return extended(best, part);
  }

  // By lines that do not begin a match.
  Match extended(Match best, const Part& part) const {
    while (best.a > part.a1 && best.b > part.b1 && a_[best.a - 1] == b_[best.b - 1])
      best = {best.a - 1, best.b - 1, best.size + 1};
    while (best.a + best.size < part.a2 && best.b + best.size < part.b2 &&
           a_[best.a + best.size] == b_[best.b + best.size])
      ++best.size;
    return best;
  }

  // All matches in order, adjacent ones joined, with an empty one at the end.
  std::vector<Match> blocks() {
    std::vector<Match> found;
    std::vector<Part> parts = {{0, a_.size(), 0, b_.size()}};
    while (!parts.empty() && !gave_up()) {
      const Part part = parts.back();
      parts.pop_back();
      const Match match = longest(part);
      if (match.size == 0) continue;
      found.push_back(match);
      if (part.a1 < match.a && part.b1 < match.b)
        parts.push_back({part.a1, match.a, part.b1, match.b});
      if (match.a + match.size < part.a2 && match.b + match.size < part.b2)
        parts.push_back({match.a + match.size, part.a2, match.b + match.size, part.b2});
    }
    std::ranges::sort(found, {}, &Match::a);
    std::vector<Match> joined;
    for (const Match& match : found) {
      if (!joined.empty() && joined.back().a + joined.back().size == match.a &&
          joined.back().b + joined.back().size == match.b) {
        joined.back().size += match.size;
      } else {
        joined.push_back(match);
      }
    }
    joined.push_back({a_.size(), b_.size(), 0});
    return joined;
  }

  const Lines& a_;
  const Lines& b_;
  std::unordered_map<std::string_view, std::vector<size_t>, SeededHash> places_;  // in b
  std::vector<const std::vector<size_t>*> matches_;  // of each line of a; null: none
  std::vector<size_t> lengths_;  // of the matches that end at a line of b, for the last line of a
  std::vector<size_t> next_;
  size_t work_ = 0;
};

// Groups of changes with their context.
std::vector<std::vector<Step>> grouped(std::vector<Step> steps) {
  std::vector<std::vector<Step>> groups;
  if (steps.empty()) return groups;
  const auto shorten_front = [](Step& step) {
    step.a1 = std::max(step.a1, step.a2 - std::min(step.a2, kContext));
    step.b1 = std::max(step.b1, step.b2 - std::min(step.b2, kContext));
  };
  const auto shorten_back = [](Step& step) {
    step.a2 = std::min(step.a2, step.a1 + kContext);
    step.b2 = std::min(step.b2, step.b1 + kContext);
  };
  if (steps.front().tag == Tag::kEqual) shorten_front(steps.front());
  if (steps.back().tag == Tag::kEqual) shorten_back(steps.back());
  std::vector<Step> group;
  for (Step step : steps) {
    if (step.tag == Tag::kEqual && step.a2 - step.a1 > 2 * kContext) {
      Step before = step;
      shorten_back(before);
      group.push_back(before);
      groups.push_back(std::move(group));
      group.clear();
      shorten_front(step);
    }
    group.push_back(step);
  }
  if (!group.empty() && !(group.size() == 1 && group[0].tag == Tag::kEqual))
    groups.push_back(std::move(group));
  return groups;
}

std::string range(size_t start, size_t stop) {
  const size_t length = stop - start;
  if (length == 1) return std::to_string(start + 1);
  return fmt::format("{},{}", length == 0 ? start : start + 1, length);
}

void add_lines(std::string& out, char mark, const Lines& lines, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) out.append(1, mark).append(lines[i]).append(1, '\n');
}

}  // namespace diff

std::string unified_diff(std::string_view before, std::string_view after) {
  using namespace diff;
  const Lines a = split(before, '\n');
  const Lines b = split(after, '\n');
  if (a.size() > kMaxDiffLines || b.size() > kMaxDiffLines) return std::string(kTooLong);
  Matcher matcher(a, b);
  std::vector<Step> steps = matcher.steps();
  if (matcher.gave_up()) return std::string(kTooLong);
  std::string out;
  for (const std::vector<Step>& group : grouped(std::move(steps))) {
    out += fmt::format("@@ -{} +{} @@\n", range(group.front().a1, group.back().a2),
                       range(group.front().b1, group.back().b2));
    for (const Step& step : group) {
      if (step.tag == Tag::kEqual) {
        add_lines(out, ' ', a, step.a1, step.a2);
        continue;
      }
      if (step.tag != Tag::kInsert) add_lines(out, '-', a, step.a1, step.a2);
      if (step.tag != Tag::kDelete) add_lines(out, '+', b, step.b1, step.b2);
    }
  }
  return out;
}

}  // namespace proa::kinds
