#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Protection finalizers: added to each object, and removed when the object is being deleted and no
// longer in use.

// Claims, while a pod bound to a node uses them. The keys are claims.
std::unique_ptr<Controller> make_claim_protection(const ControllerContext& context);
// Volumes, while they are bound to a claim.
std::unique_ptr<Controller> make_volume_protection(const ControllerContext& context);
// VolumeAttributesClasses, while claims or volumes name them.
std::unique_ptr<Controller> make_attributes_class_protection(const ControllerContext& context);

}  // namespace proa::controllers
