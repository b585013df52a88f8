#pragma once

#include <string>

#include "base/files.h"
#include "base/process/spawn.h"
#include "base/result.h"

namespace proa::lab {

// Records a process, by its id and start time.
Result<void> write_process(Files& files, const std::string& path, const ProcessHandle& process);

// The recorded process. kNotFound if none is, or if it has ended.
Result<ProcessHandle> find_process(Files& files, const std::string& path);
Result<ProcessHandle> find_process(int64_t id, uint64_t start_time);

}  // namespace proa::lab
