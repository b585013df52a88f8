#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "kubelet/runtime/builtin/builtin_images.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Those of `images` that the runtime lacks, or has with other content.
Result<std::vector<BuiltinImage>> missing_images(cri::Runtime& runtime,
                                                 std::span<const BuiltinImage> images,
                                                 const Until& until);

// Imports missing built-in images into the containerd behind `socket`, by its own `ctr`. Returns
// their number. Costs two calls to the runtime if none is missing.
Result<size_t> import_builtin_images(cri::Runtime& runtime, const std::string& socket, Clock& clock,
                                     const Until& until);

}  // namespace proa::kubelet
