#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/node/server/log_request.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Reads logs from the files that the runtime writes. Everything outlives what it opens.
LogOpener open_log_files(Clock& clock, Files& files, cri::Runtime& runtime, const Paths& paths);

}  // namespace proa::kubelet
