#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "cli/command_line/command.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// The settings in `path` (YAML, or JSON, which is YAML too), then in the files of the folder
// `path`.d with the endings .yaml, .yml and .json, in the order of their names; later ones win.
// Keys are names of flags, of whatever command under `root`; any other key is refused. A file that
// is not there is a failure only when it is `required`.
Result<GivenValues> read_config(Files& files, const std::string& path, bool required,
                                const Command& root);

// One file's content; `source` is its name, for messages.
Result<GivenValues> parse_config(std::string_view content, const std::string& source,
                                 const Command& root);

}  // namespace proa::cli
