#pragma once

#include "base/files.h"
#include "kubelet/cri/runtime.h"
#include "kubelet/paths.h"
#include "kubelet/pods/pod.h"

namespace proa::kubelet {

// The logs that the runtime writes for us, and never removes. What is gone already is no failure.

// Of one container, with what rotation made of it.
Result<void> remove_log(Files& files, const Paths& paths, const Pod& pod,
                        const cri::Container& container);
// Of a whole pod.
Result<void> remove_logs(Files& files, const Paths& paths, const Pod& pod);
Result<void> remove_logs(Files& files, const Paths& paths, std::string_view name_space,
                         std::string_view name, std::string_view uid);

}  // namespace proa::kubelet
