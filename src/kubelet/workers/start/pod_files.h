#pragma once

#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// What the containers of a pod have as /etc/hosts. Nothing is brought to the disk: pods that a
// power loss took are set up again. REQUIRES: the folder of the pod is there.
Result<void> write_hosts_file(Files& files, const Paths& paths, const Pod& pod,
                              std::string_view text);

// The text of a file of the host; empty if it cannot be read.
std::string read_host_file(Files& files, const std::string& path);

// The logs that the runtime writes for us, and never removes. What is gone already is no failure.

// Of one container, with what rotation made of it.
Result<void> remove_log(Files& files, const Paths& paths, const Pod& pod,
                        const cri::Container& container);
// Of a whole pod.
Result<void> remove_logs(Files& files, const Paths& paths, const Pod& pod);
// Of one of which nothing but its uid is known.
Result<void> remove_logs(Files& files, const Paths& paths, std::string_view uid);
// The uids of pods that have some.
Result<std::vector<std::string>> pods_with_logs(Files& files, const Paths& paths);

}  // namespace proa::kubelet
