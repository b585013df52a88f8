#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "cli/command_line/command.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// Reads the settings in `path` (YAML or JSON), then those in the files `path`.d/*.yaml, *.yml and
// *.json in the order of their names; later files override earlier ones. Keys are the flags of any
// command under `root`; other keys are refused. A missing file is an error only if it is
// `required`.
Result<GivenValues> read_config(Files& files, const std::string& path, bool required,
                                const Command& root);

// Parses one file; `source` is its name in messages.
Result<GivenValues> parse_config(std::string_view content, const std::string& source,
                                 const Command& root);

}  // namespace proa::cli
