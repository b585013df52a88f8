#pragma once

#include <memory>

#include "cel/types/declarations.h"

namespace proa::cel {

enum class Libraries : uint8_t {
  kBase,           // those of upstream's base environment
  kWithJsonPatch,  // and the one that mutating policies have
  kWithIncludes,   // and the one of device selectors over lists of attributes
};

// The libraries of a Kubernetes version (1.minor). The same object for the same arguments; any
// thread may ask.
std::shared_ptr<const Declarations> kubernetes_declarations(int minor_version, Libraries libraries);

}  // namespace proa::cel
