#pragma once

#include <string>

#include "base/status.h"

namespace proa::kubelet::cri {

// A failure of the runtime as upstream's kubelet reports it in Events and container states: "rpc
// error: code = NotFound desc = no such image".
std::string failure_text(const Status& failure);

// The same without the code if that is Unknown: how upstream reports failed pulls.
std::string pull_failure_text(const Status& failure);

}  // namespace proa::kubelet::cri
