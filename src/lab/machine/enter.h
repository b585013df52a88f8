#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/process/spawn.h"
#include "base/result.h"
#include "lab/plan/paths.h"

namespace proa::lab {

// Runs a program in a machine, with our terminal, and waits for its end; returns its exit code, or
// 128 and the signal that ended it. `words[0]` is looked up in the machine's PATH. REQUIRES: this
// process has one thread, and exits next: it is in the machine's namespaces.
Result<int> run_inside(const LabPaths& lab, const std::string& machine, const ProcessHandle& first,
                       const std::vector<std::string>& words);

// Calls `work` in a new process of the machine, which stays there after we exit. Returns that
// process. We stay where we are.
Result<ProcessHandle> leave_inside(const LabPaths& lab, const std::string& machine,
                                   const ProcessHandle& first, const std::function<void()>& work);

}  // namespace proa::lab
