#include "cli/command_line/settings.h"

#include <algorithm>

#include "base/strings.h"
#include "base/time.h"
#include "cli/command_line/suggest.h"

namespace proa::cli {
namespace settings {

// Why the value is invalid; empty if it is valid. Normalizes switches to "true" and "false", and
// choices to the case in which they are listed.
std::string check(const Flag& flag, std::string& value) {
  switch (flag.kind) {
    case ValueKind::kText:
    case ValueKind::kFile:
    case ValueKind::kFolder:
    case ValueKind::kCommand:
      return {};
    case ValueKind::kNumber: {
      const auto number = parse_int(value);
      if (!number) return "is not a number";
      if (*number >= flag.least && *number <= flag.most) return {};
      return "is not between " + std::to_string(flag.least) + " and " + std::to_string(flag.most);
    }
    case ValueKind::kPort: {
      const auto port = parse_int(value);
      return port && *port >= 0 && *port <= 65535 ? "" : "is not a port between 0 and 65535";
    }
    case ValueKind::kDuration: {
      const auto duration = parse_duration(value);
      if (!duration.ok()) return "is not a duration such as 30s or 1h30m";
      return *duration >= Duration(0) ? "" : "is negative";
    }
    case ValueKind::kChoice:
      for (const std::string_view choice : flag.choices) {
        if (!equals_ignoring_case(choice, value)) continue;
        value = choice;
        return {};
      }
      return "is not one of " + join(flag.choices, ", ") + suggestion(value, flag.choices);
    case ValueKind::kSwitch:
      value = to_lower(value);
      if (value == "1" || value == "yes" || value == "on") value = "true";
      if (value == "0" || value == "no" || value == "off") value = "false";
      return value == "true" || value == "false" ? "" : "is neither true nor false";
  }
  return {};
}

GivenValue first_given(const Flag& flag, const GivenValues& command_line,
                       const Environment& environment, const GivenValues& config) {
  if (const auto found = command_line.find(flag.name); found != command_line.end()) {
    return found->second;
  }
  const std::string variable = environment_name(flag.name);
  if (const char* value = environment(variable.c_str()); value != nullptr) {
    return {value, variable};
  }
  if (const auto found = config.find(flag.name); found != config.end()) return found->second;
  return {flag.fallback, {}};
}

}  // namespace settings

std::string environment_name(std::string_view flag) {
  std::string name = "PROA_";
  for (const char letter : flag) {
    const bool small = letter >= 'a' && letter <= 'z';
    name.push_back(letter == '-' ? '_' : small ? static_cast<char>(letter - 'a' + 'A') : letter);
  }
  return name;
}

Result<GivenValue> resolve_flag(const Flag& flag, const GivenValues& command_line,
                                const Environment& environment, const GivenValues& config) {
  GivenValue given = settings::first_given(flag, command_line, environment, config);
  // A default needs no validation, and may be empty to mean "none".
  if (given.source.empty()) return given;
  if (const std::string wrong = settings::check(flag, given.value); !wrong.empty()) {
    return Status(Reason::kBadRequest, given.source + ": '" + given.value + "' " + wrong);
  }
  return given;
}

Result<Settings> resolve_settings(std::span<const Flag> flags, const GivenValues& command_line,
                                  const Environment& environment, const GivenValues& config) {
  Settings settings;
  for (const Flag& flag : flags) {
    GivenValue given = TRY(resolve_flag(flag, command_line, environment, config));
    if (!given.source.empty()) settings.mark_given(flag.name);
    settings.set(flag.name, std::move(given.value));
  }
  return settings;
}

}  // namespace proa::cli
