#include "cel/syntax/issues.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace proa::cel {
namespace issues_text {

constexpr size_t kMaxIssues = 100;
// Longer lines are not printed.
constexpr size_t kMaxSnippet = 16384;
constexpr std::string_view kWideDot = "\xEF\xBC\x8E";
constexpr std::string_view kWideMark = "\xEF\xBC\xBE";

}  // namespace issues_text

void Issues::add(uint32_t position, std::string message) {
  if (++reported_ > issues_text::kMaxIssues) return;
  Issue issue{.line = UINT32_MAX, .column = 0, .message = std::move(message)};
  if (position != kNowhere) {
    const std::string_view before = source_.substr(0, std::min<size_t>(position, source_.size()));
    issue.line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    std::string_view line = before.substr(before.rfind('\n') + 1);
    for (; !line.empty(); ++issue.column) line.remove_prefix(decode_utf8(line).size);
  }
  issues_.push_back(std::move(issue));
}

void Issues::print(const Issue& issue, std::string& out) const {
  const bool nowhere = issue.line == UINT32_MAX;
  out += "ERROR: <input>:";
  out += nowhere ? "-1" : std::to_string(issue.line);
  // Upstream's NoLocation is line and column -1.
  out += ":" + std::to_string(nowhere ? 0 : issue.column + 1) + ": " + issue.message;
  if (nowhere) return;
  const std::vector<std::string_view> lines = split(source_, '\n');
  std::string snippet(lines[issue.line - 1]);
  if (snippet.size() > issues_text::kMaxSnippet) return;
  std::replace(snippet.begin(), snippet.end(), '\t', ' ');
  out += "\n | " + snippet + "\n | ";
  std::string_view rest = snippet;
  for (uint32_t i = 0; i < issue.column && !rest.empty(); ++i) {
    const uint8_t size = decode_utf8(rest).size;
    out += size > 1 ? issues_text::kWideDot : ".";
    rest.remove_prefix(size);
  }
  out += !rest.empty() && decode_utf8(rest).size > 1 ? issues_text::kWideMark : "^";
}

std::string Issues::print() const {
  std::vector<const Issue*> sorted;
  for (const Issue& issue : issues_) sorted.push_back(&issue);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Issue* a, const Issue* b) {
    // Those without a place come first, as line -1 does.
    return std::pair(a->line + 1, a->column) < std::pair(b->line + 1, b->column);
  });
  std::string out;
  for (const Issue* issue : sorted) {
    if (!out.empty()) out += '\n';
    print(*issue, out);
  }
  if (reported_ > issues_text::kMaxIssues) {
    out +=
        '\n' + std::to_string(reported_ - issues_text::kMaxIssues) + " more errors were truncated";
  }
  return out;
}

}  // namespace proa::cel
