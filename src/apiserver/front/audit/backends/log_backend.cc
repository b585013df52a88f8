#include "apiserver/front/audit/backends/log_backend.h"

#include <unistd.h>

#include <cerrno>

namespace proa::apiserver::audit {
namespace log_backend {

Result<void> write_to_output(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text).push_back('\n');
  for (std::string_view rest = all; !rest.empty();) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_status("writing to standard output", errno);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace log_backend

Result<std::unique_ptr<LogBackend>> LogBackend::make(const RotationOptions& options,
                                                     EventFormat format, const Clock& clock) {
  std::unique_ptr<RotatingFile> file;
  if (options.path != "-") file = TRY(RotatingFile::open(options, clock));
  return std::unique_ptr<LogBackend>(new LogBackend(std::move(file), format));
}

std::string LogBackend::text_of(const Event& event, WithObjects objects) const {
  if (format_ == EventFormat::kLegacy) return event_line(event);
  return event_json(event, WithType::kYes, objects);
}

Result<void> LogBackend::write(std::span<const std::string> texts) {
  if (file_ == nullptr) return log_backend::write_to_output(texts);
  return file_->write({texts.begin(), texts.end()});
}

}  // namespace proa::apiserver::audit
