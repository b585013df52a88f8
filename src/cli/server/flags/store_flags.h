#pragma once

#include <optional>
#include <vector>

#include "base/files.h"
#include "cli/command_line/command.h"
#include "store/etcd/options.h"

namespace proa::cli {

// --store, and upstream's words for a store on etcd.
std::vector<Flag> store_flags();

// Nullopt: the store is in the data directory. Also reads the certificates, so that their errors
// are found before anything is made. Errors name the flag.
Result<std::optional<store::EtcdOptions>> read_store_options(const Settings& settings,
                                                             Files& files);

}  // namespace proa::cli
