#include "proxy/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/strings.h"

namespace proa::proxy {

std::optional<int64_t> read_setting(const std::string& path) {
  SystemFiles files;
  const Result<std::string> text = files.read_file(path, 64);
  if (!text) return std::nullopt;
  return parse_int(trim(*text));
}

Result<void> write_setting(const std::string& path, int64_t value) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno_status("opening " + path, errno);
  const std::string text = std::to_string(value);
  if (::write(file.get(), text.data(), text.size()) < 0) {
    return errno_status("writing " + path, errno);
  }
  return {};
}

}  // namespace proa::proxy
