#pragma once

#include <optional>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace proa {

// A name that one process of a network namespace holds at a time. Given back by the kernel when
// the process ends.
class NamespaceClaim {
 public:
  // In the namespace of the calling thread; nullopt if another one holds it. REQUIRES: `name` has
  // at most 100 bytes.
  static Result<std::optional<NamespaceClaim>> take(std::string_view name);

 private:
  explicit NamespaceClaim(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

}  // namespace proa
