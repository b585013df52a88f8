#include "cel/values/limited_text.h"

#include <algorithm>

namespace proa::cel {

bool LimitedText::sort(std::span<Entry> entries, std::string_view separator) {
  if (full_ || entries.empty()) return !full_;
  const size_t start = entries.front().begin;
  const auto key = [this](const Entry& entry) {
    return std::string_view(text_).substr(entry.begin, entry.key_end - entry.begin);
  };
  std::ranges::stable_sort(entries, {}, key);
  const std::string unsorted = text_.substr(start);
  text_.resize(start);
  for (const Entry& entry : entries) {
    if (&entry != entries.data()) add(separator);
    add(std::string_view(unsorted).substr(entry.begin - start, entry.end - entry.begin));
  }
  return !full_;
}

}  // namespace proa::cel
