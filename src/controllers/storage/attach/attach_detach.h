#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Keeps VolumeAttachments for pods that were given to nodes and use volumes of CSI drivers; the
// drivers attach. Tells nodes which volumes they have. The keys are "volume/NAME" and "node/NAME".
std::unique_ptr<Controller> make_attach_detach(const ControllerContext& context);

}  // namespace proa::controllers
