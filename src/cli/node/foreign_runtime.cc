#include "cli/node/foreign_runtime.h"

#include "base/strings.h"

namespace proa::cli {

Result<void> note_foreign_runtime(Files& files, const NodePaths& place, const std::string& socket) {
  if (foreign_runtime_of(files, place) == socket) return {};
  return files.write_file_atomic(place.foreign_runtime, socket + "\n", 0600);
}

std::string foreign_runtime_of(Files& files, const NodePaths& place) {
  const auto text = files.read_file(place.foreign_runtime, 4096);
  return text.ok() ? std::string(trim(*text)) : std::string();
}

}  // namespace proa::cli
