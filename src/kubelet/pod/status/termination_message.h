#pragma once

#include <string>

#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The termination message of a container: the end of its termination file; or, if it failed, left
// it empty and has FallbackToLogsOnError, the end of its log. Empty if there is none. Failures
// become the message, in upstream's words. Valid UTF-8. Blocking.
std::string read_termination_message(Files& files, const Paths& paths, api::UidView pod_uid,
                                     const cri::Container& ended);

// The text of the last lines of a CRI log: "TIME stdout F text". At most 80 lines and 2048 bytes.
std::string tail_of_log(std::string_view log);

}  // namespace proa::kubelet
