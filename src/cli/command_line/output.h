#pragma once

#include <string>
#include <string_view>

#include "cli/command_line/command.h"
#include "json/value.h"

namespace proa::cli {

// `-o text|json|yaml`, for commands whose results programs read too.
Flag output_flag();

// REQUIRES: `format` is "json" or "yaml".
std::string format_value(const json::Value& value, std::string_view format);

// "1.5 MiB": for people; programs get the plain number.
std::string format_bytes(uint64_t bytes);

}  // namespace proa::cli
