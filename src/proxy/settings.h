#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace proa::proxy {

// Settings of the kernel that are numbers, by the paths of their files. Those of the network are of
// the thread's network namespace. nullopt if this kernel has none of that path.
std::optional<int64_t> read_setting(const std::string& path);
Result<void> write_setting(const std::string& path, int64_t value);

}  // namespace proa::proxy
