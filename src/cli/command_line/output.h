#pragma once

#include <string>
#include <string_view>

#include "cli/command_line/command.h"
#include "json/value.h"

namespace proa::cli {

// `-o text|json|yaml`, for commands with machine-readable results.
Flag output_flag();

// REQUIRES: `format` is "json" or "yaml".
std::string format_value(const json::Value& value, std::string_view format);

// "1 pod", "2 pods". REQUIRES: the plural is the noun and an s.
std::string counted(uint64_t count, std::string_view noun);

// "1.5 MiB", for humans; machine-readable output has the plain number.
std::string format_bytes(uint64_t bytes);

}  // namespace proa::cli
