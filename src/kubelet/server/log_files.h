#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "kubelet/cri/runtime.h"
#include "kubelet/paths.h"
#include "kubelet/server/log_request.h"

namespace proa::kubelet {

// Reads logs from the files that the runtime writes. Everything outlives what it opens.
LogOpener open_log_files(Clock& clock, Files& files, cri::Runtime& runtime, const Paths& paths);

}  // namespace proa::kubelet
