#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// An explicit value and its source: "PROA_LOG_LEVEL", "/etc/proa/config.yaml: log-level".
struct GivenValue {
  std::string value;
  std::string source;
};
using GivenValues = std::map<std::string, GivenValue, std::less<>>;  // by flag name

// The environment of the process or of a test; null if a variable is not set.
using Environment = std::function<const char*(const char* name)>;

// "data-dir" is PROA_DATA_DIR.
std::string environment_name(std::string_view flag);

// Resolves one flag, for those needed before the configuration is read.
Result<GivenValue> resolve_flag(const Flag& flag, const GivenValues& command_line,
                                const Environment& environment, const GivenValues& config);

// Resolves all flags: command line over environment over configuration file over default. A value
// of the wrong type is an error that names its source.
Result<Settings> resolve_settings(std::span<const Flag> flags, const GivenValues& command_line,
                                  const Environment& environment, const GivenValues& config);

}  // namespace proa::cli
