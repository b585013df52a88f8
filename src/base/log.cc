#include "base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <map>
#include <memory>

#include "base/strings.h"
#include "base/utf8.h"

namespace proa {
namespace log {

struct LevelName {
  LogLevel level;
  std::string_view lower;
  std::string_view padded;
};

constexpr std::array kLevels{
    LevelName{LogLevel::kDebug, "debug", "DEBUG"},
    LevelName{LogLevel::kInfo, "info", "INFO "},
    LevelName{LogLevel::kWarn, "warn", "WARN "},
    LevelName{LogLevel::kError, "error", "ERROR"},
};

const LevelName& name_of(LogLevel level) { return kLevels[static_cast<size_t>(level)]; }

std::optional<LogLevel> level_named(std::string_view name) {
  for (const auto& level : kLevels) {
    if (level.lower == name) return level.level;
  }
  return std::nullopt;
}

// State shared by all loggers.
struct Registry {
  struct Levels {
    LogLevel others = LogLevel::kInfo;
    std::map<std::string, LogLevel, std::less<>> rooms;

    LogLevel of(std::string_view room) const {
      const auto named = rooms.find(room);
      return named == rooms.end() ? others : named->second;
    }
  };

  Mutex mutex;
  Levels levels GUARDED_BY(mutex);
  std::map<std::string, std::unique_ptr<std::atomic<LogLevel>>, std::less<>> rooms
      GUARDED_BY(mutex);
  std::atomic<LogFormat> format = LogFormat::kText;
  std::atomic<void (*)(std::string_view)> sink = nullptr;
  std::atomic<const Clock*> clock = nullptr;
  // Lines are written whole, one after the other.
  Mutex output;
};

Registry& registry() {
  // Never destroyed: code that runs after main() may still log.
  static Registry& instance = *new Registry;
  return instance;
}

Time now() {
  const Clock* clock = registry().clock.load(std::memory_order_acquire);
  return clock != nullptr ? clock->now() : SystemClock().now();
}

// Characters that could end a line, move a terminal's cursor or hide text from a reader.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

// Appends text in JSON's notation, so that it cannot leave its quotes or its line.
void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    if (next.code == '"' || next.code == '\\') {
      out += '\\';
      out += static_cast<char>(next.code);
    } else if (next.code == '\n') {
      out += "\\n";
    } else if (next.code == '\t') {
      out += "\\t";
    } else if (is_control(next.code)) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(next.code));
    } else {
      append_utf8(out, next.code);
    }
    text.remove_prefix(next.size);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    if (!next.valid || next.code == ' ' || next.code == '=' || next.code == '"' ||
        next.code == '\\' || is_control(next.code)) {
      return true;
    }
    text.remove_prefix(next.size);
  }
  return false;
}

void append_value(std::string& out, const LogValue& value, LogFormat format) {
  const auto text = [&](std::string_view words) {
    if (format == LogFormat::kJson || needs_quotes(words)) {
      append_quoted(out, words);
    } else {
      out += words;
    }
  };
  std::visit(
      [&](const auto& held) {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          text(held);
        } else if constexpr (std::is_same_v<Held, double>) {
          // JSON has no infinity.
          if (std::isfinite(held)) {
            out += fmt::format("{}", held);
          } else {
            text(fmt::format("{}", held));
          }
        } else {
          out += fmt::format("{}", held);
        }
      },
      value.value());
}

std::string text_line(LogLevel level, std::string_view room, std::string_view message,
                      Log::Fields fields) {
  std::string line =
      fmt::format("{} {} {}: ", format_micro_time(now()), name_of(level).padded, room);
  append_escaped(line, message);
  for (const auto& field : fields) {
    line += ' ';
    append_escaped(line, field.name);
    line += '=';
    append_value(line, field.value, LogFormat::kText);
  }
  line += '\n';
  return line;
}

std::string json_line(LogLevel level, std::string_view room, std::string_view message,
                      Log::Fields fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","room":)", format_micro_time(now()),
                                 name_of(level).lower);
  append_quoted(line, room);
  line += R"(,"message":)";
  append_quoted(line, message);
  for (const auto& field : fields) {
    line += ',';
    append_quoted(line, field.name);
    line += ':';
    append_value(line, field.value, LogFormat::kJson);
  }
  line += "}\n";
  return line;
}

void write_to_stderr(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // stderr is closed: the failure cannot be reported
    line.remove_prefix(static_cast<size_t>(written));
  }
}

Result<Registry::Levels> parse_levels(std::string_view text) {
  Registry::Levels levels;
  for (const std::string_view part : split(text, ',')) {
    const auto halves = split_once(part, '=');
    const std::string_view name = trim(halves ? halves->after : part);
    const auto level = level_named(name);
    if (!level) {
      return Status(Reason::kBadRequest,
                    fmt::format("log level \"{}\" is not one of debug, info, warn, error", name));
    }
    if (halves) {
      levels.rooms[std::string(trim(halves->before))] = *level;
    } else {
      levels.others = *level;
    }
  }
  return levels;
}

}  // namespace log

Log::Log(std::string_view room) : room_(room) {
  log::Registry& registry = log::registry();
  MutexLock lock(registry.mutex);
  auto& level = registry.rooms[std::string(room)];
  if (!level) level = std::make_unique<std::atomic<LogLevel>>(registry.levels.of(room));
  level_ = level.get();
}

void Log::write(LogLevel level, std::string_view message, Fields fields) const {
  if (!enabled(level)) return;
  log::Registry& registry = log::registry();
  const std::string line = registry.format.load(std::memory_order_relaxed) == LogFormat::kJson
                               ? log::json_line(level, room_, message, fields)
                               : log::text_line(level, room_, message, fields);
  const auto sink = registry.sink.load(std::memory_order_acquire);
  MutexLock lock(registry.output);
  sink != nullptr ? sink(line) : log::write_to_stderr(line);
}

Result<void> set_log_levels(std::string_view levels) {
  auto parsed = TRY(log::parse_levels(levels));
  log::Registry& registry = log::registry();
  MutexLock lock(registry.mutex);
  registry.levels = std::move(parsed);
  for (auto& [room, level] : registry.rooms) level->store(registry.levels.of(room));
  return {};
}

void set_log_format(LogFormat format) { log::registry().format = format; }
void set_log_sink(void (*sink)(std::string_view line)) { log::registry().sink = sink; }
void set_log_clock(const Clock* clock) { log::registry().clock = clock; }

}  // namespace proa
