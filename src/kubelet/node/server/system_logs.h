#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "kubelet/node/server/log_request.h"

namespace proa::kubelet {

// What a path below /logs leads to in the machine's folder of logs.
struct SystemLog {
  std::unique_ptr<LogText> file = {};  // to its end; null: it is a folder
  std::string page = {};               // of a folder: a link to each thing in it
};

// `parts`: of the path, which comes from outside. Links are followed that stay in the folder.
// kNotFound for all that is neither a file nor a folder.
Result<SystemLog> open_system_log(const std::string& folder, std::span<const std::string> parts);

}  // namespace proa::kubelet
