#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Creates and deletes VolumeAttachments for pods that use CSI volumes and are bound to nodes; the
// drivers attach. Writes status.volumesAttached of nodes. The keys are AttachKeys.
std::unique_ptr<Controller> make_attach_detach(const ControllerContext& context);

}  // namespace proa::controllers
