#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "kubelet/runtime/builtin/builtin_images.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Those of `images` that the runtime does not have, or has with other content.
Result<std::vector<BuiltinImage>> missing_images(cri::Runtime& runtime,
                                                 std::span<const BuiltinImage> images,
                                                 const Until& until);

// Brings what is missing of the images inside this program into the containerd behind `socket`, by
// its own `ctr`. How many that were. Costs two questions to the runtime when nothing is missing.
Result<size_t> import_builtin_images(cri::Runtime& runtime, const std::string& socket, Clock& clock,
                                     const Until& until);

}  // namespace proa::kubelet
