#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"

namespace proa {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };
enum class LogFormat : uint8_t { kText, kJson };

// A value of a log line. Text is borrowed for the duration of the call.
class LogValue {
 public:
  LogValue(std::string_view text) : value_(text) {}                      // NOLINT: made to convert
  LogValue(const std::string& text) : value_(std::string_view(text)) {}  // NOLINT
  LogValue(const char* text) : value_(std::string_view(text)) {}         // NOLINT
  LogValue(bool flag) : value_(flag) {}                                  // NOLINT
  LogValue(double number) : value_(number) {}                            // NOLINT
  template <std::signed_integral T>
  LogValue(T number) : value_(static_cast<int64_t>(number)) {}  // NOLINT
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) LogValue(T number)
      : value_(static_cast<uint64_t>(number)) {}                                  // NOLINT
  LogValue(const Status& status) : value_(std::string_view(status.message())) {}  // NOLINT

  using Variant = std::variant<std::string_view, bool, int64_t, uint64_t, double>;
  const Variant& value() const { return value_; }

 private:
  Variant value_;
};

struct LogField {
  std::string_view name;
  LogValue value;
};

// A room's logger: a constant message and key=value pairs. `Log log{"store"};` at the top of a file
// is fine: it only holds its room's level.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;
  explicit Log(std::string_view room);

  void debug(std::string_view message, Fields fields = {}) const {
    write(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) const {
    write(LogLevel::kInfo, message, fields);
  }
  void warn(std::string_view message, Fields fields = {}) const {
    write(LogLevel::kWarn, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) const {
    write(LogLevel::kError, message, fields);
  }
  bool enabled(LogLevel level) const { return level >= level_->load(std::memory_order_relaxed); }

 private:
  void write(LogLevel level, std::string_view message, Fields fields) const;

  std::string_view room_;
  const std::atomic<LogLevel>* level_;
};

// "info", or per room: "info,store=debug,http=warn". Rooms that are not named get the level without
// a name, or info. Applies to existing loggers, too; a failure changes nothing.
Result<void> set_log_levels(std::string_view levels);
void set_log_format(LogFormat format);
// Receives lines (including their end) instead of stderr, for tests. Null restores stderr.
void set_log_sink(void (*sink)(std::string_view line));
// The clock for timestamps; null: the system's. REQUIRES: it outlives its use here.
void set_log_clock(const Clock* clock);

}  // namespace proa
