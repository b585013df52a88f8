#pragma once

#include <memory>

#include "apiserver/front/audit/backends/backend.h"
#include "apiserver/front/audit/backends/rotating_file.h"

namespace proa::apiserver::audit {

enum class EventFormat : uint8_t { kJson, kLegacy };

// Writes a line per event to a file, or to standard output if its path is "-".
class LogBackend final : public Backend {
 public:
  static Result<std::unique_ptr<LogBackend>> make(const RotationOptions& options,
                                                  EventFormat format, const Clock& clock);

  Plugin plugin() const override { return Plugin::kLog; }
  std::string text_of(const Event& event, WithObjects objects) const override;
  Result<void> write(std::span<const std::string> texts) override;

 private:
  LogBackend(std::unique_ptr<RotatingFile> file, EventFormat format)
      : file_(std::move(file)), format_(format) {}

  const std::unique_ptr<RotatingFile> file_;  // null: standard output
  const EventFormat format_;
};

}  // namespace proa::apiserver::audit
