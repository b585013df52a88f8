#pragma once

#include <string>

#include "base/status.h"

namespace proa::kubelet::cri {

// A failure of the runtime as upstream's kubelet puts it into events and container states: "rpc
// error: code = NotFound desc = no such image".
std::string failure_text(const Status& failure);

// The same without the code where that is Unknown and says nothing: how upstream reports pulls.
std::string pull_failure_text(const Status& failure);

}  // namespace proa::kubelet::cri
