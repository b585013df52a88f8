#include "lab/machine/log_end.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::lab {
namespace ends {

constexpr size_t kMaxBytes = 64 << 20;
constexpr size_t kLines = 10;

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

}  // namespace proa::lab
