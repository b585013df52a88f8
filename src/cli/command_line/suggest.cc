#include "cli/command_line/suggest.h"

#include <algorithm>
#include <vector>

namespace proa::cli {
namespace suggest {

// Edit distance with transpositions (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace suggest

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  // Up to a third of the letters may differ.
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const bool begins_so = word.size() >= 2 && candidate.starts_with(word);
    const size_t distance = begins_so ? 1 : suggest::distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const auto found = nearest(word, candidates);
  if (!found) return {};
  return "; did you mean '" + std::string(*found) + "'?";
}

}  // namespace proa::cli
