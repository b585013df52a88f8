#pragma once

#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Writes the /etc/hosts of a pod's containers. Not synced: after a power loss pods are set up
// again. REQUIRES: the pod's folder exists.
Result<void> write_hosts_file(Files& files, const Paths& paths, const Pod& pod,
                              std::string_view text);

// The text of a file of the host; empty if it cannot be read.
std::string read_host_file(Files& files, const std::string& path);

// Logs, which the runtime writes and never removes. Missing ones are no failure.

// The folder of a pod's logs, and its record if others have logs there, too.
Result<void> make_log_folder(const Paths& paths, const Pod& pod);
// A link to the log of a container, where log collectors look for it. `log_file`:
// Paths::log_file().
Result<void> link_log(const Paths& paths, const Pod& pod, std::string_view container,
                      std::string_view log_file, const std::string& id);
// Removes links in `links` to `target`, or to what is below it.
Result<void> remove_log_links(const std::string& links, const std::string& target);

// Of one container, with its rotated files.
Result<void> remove_log(Files& files, const Paths& paths, const Pod& pod,
                        const cri::Container& container);
// Of a whole pod.
Result<void> remove_logs(Files& files, const Paths& paths, const Pod& pod);
// Of a pod of which only the uid is known.
Result<void> remove_logs(Files& files, const Paths& paths, api::UidView uid);
// The pods with logs.
Result<std::vector<api::Uid>> pods_with_logs(Files& files, const Paths& paths);

}  // namespace proa::kubelet
