#include "kubelet/runtime/logs/log_line.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kubelet {

std::optional<LogLine> parse_log_line(std::string_view line) {
  LogLine found;
  const auto time = split_once(line, ' ');
  if (!time) return std::nullopt;
  const Result<Time> parsed = parse_time(time->before);
  if (!parsed) return std::nullopt;
  found.time = *parsed;
  found.time_text = time->before;
  const auto stream = split_once(time->after, ' ');
  if (!stream || (stream->before != "stdout" && stream->before != "stderr")) return std::nullopt;
  found.is_stderr = stream->before == "stderr";
  const auto tags = split_once(stream->after, ' ');
  if (!tags) return std::nullopt;
  found.text = tags->after;
  // Tags may follow one day, behind a colon.
  const bool partial = tags->before.substr(0, tags->before.find(':')) == "P";
  if (partial && found.text.ends_with('\n')) found.text.remove_suffix(1);
  return found;
}

std::string log_time_text(std::string_view time_text) {
  constexpr size_t kSeconds = 19;  // "2026-01-02T15:04:05"
  constexpr size_t kDigits = 9;
  std::string text(time_text.substr(0, kSeconds));
  std::string_view rest = time_text.substr(text.size());
  std::string digits;
  if (rest.starts_with('.') || rest.starts_with(',')) {
    const size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    digits = rest.substr(1, std::min(end - 1, kDigits));
    rest.remove_prefix(end);
  }
  digits.resize(kDigits, '0');
  text += '.';
  text += digits;
  text += rest == "+00:00" || rest == "-00:00" ? "Z" : rest;
  return text;
}

}  // namespace proa::kubelet
