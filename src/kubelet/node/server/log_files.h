#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/node/server/log_request.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Reads logs from the runtime's files. Everything outlives the open logs.
LogOpener open_log_files(Clock& clock, Files& files, cri::Runtime& runtime, const Paths& paths);

}  // namespace proa::kubelet
