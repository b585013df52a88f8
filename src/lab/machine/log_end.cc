#include "lab/machine/log_end.h"

#include <algorithm>

#include "base/strings.h"
#include "lab/machine/init.h"

namespace proa::lab {
namespace ends {

constexpr size_t kMaxBytes = 64 << 20;
constexpr size_t kLines = 10;

// How the program ends the message about a wrong command line: it is not the cause.
bool is_hint(std::string_view line) { return trim(line).starts_with("See 'proa help"); }

}  // namespace ends

std::string log_end(Files& files, const std::string& path) {
  const auto text = files.read_file(path, ends::kMaxBytes);
  if (!text.ok() || trim(*text).empty()) return "";
  const std::vector<std::string_view> lines = split(trim(*text), '\n');
  std::string shown;
  for (size_t i = lines.size() - std::min(lines.size(), ends::kLines); i < lines.size(); ++i) {
    shown.append("\n    ").append(lines[i]);
  }
  return shown;
}

std::string last_line_of_service(Files& files, const std::string& path) {
  const auto text = files.read_file(path, ends::kMaxBytes);
  if (!text.ok()) return "";
  const std::vector<std::string_view> lines = split(*text, '\n');
  const auto is_of_init = [](std::string_view line) { return line.starts_with(kInitPrefix); };
  // What comes after the end of the last one is of the next, which is starting.
  auto line = std::find_if(lines.rbegin(), lines.rend(), is_of_init);
  if (line == lines.rend()) line = lines.rbegin();
  line = std::find_if(line, lines.rend(), [&](std::string_view each) {
    return !trim(each).empty() && !is_of_init(each) && !ends::is_hint(each);
  });
  return line == lines.rend() ? "" : std::string(trim(*line));
}

}  // namespace proa::lab
