#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// `proa secrets reencrypt`: after the encryption configuration changed.
Command secrets_command();

}  // namespace proa::cli
