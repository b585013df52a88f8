#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// A value somebody gave, and where: "PROA_LOG_LEVEL", "/etc/proa/config.yaml: log-level".
struct GivenValue {
  std::string value;
  std::string source;
};
using GivenValues = std::map<std::string, GivenValue, std::less<>>;  // by flag name

// The process's environment, or a test's: null when a variable is not set.
using Environment = std::function<const char*(const char* name)>;

// "data-dir" is PROA_DATA_DIR.
std::string environment_name(std::string_view flag);

// The value of one flag alone, for what must be known before the configuration is read.
Result<GivenValue> resolve_flag(const Flag& flag, const GivenValues& command_line,
                                const Environment& environment, const GivenValues& config);

// Every flag's value: the command line wins over the environment, that over the configuration file,
// that over the default. A value of the wrong kind is refused with the name of its source.
Result<Settings> resolve_settings(std::span<const Flag> flags, const GivenValues& command_line,
                                  const Environment& environment, const GivenValues& config);

}  // namespace proa::cli
