#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// What is in use stays: a finalizer on each object, which is taken off when the object is to be
// deleted and nothing uses it any more.

// Claims, while a pod that was given to a node uses them. The keys are those of claims.
std::unique_ptr<Controller> make_claim_protection(const ControllerContext& context);
// Volumes, while they are bound to a claim.
std::unique_ptr<Controller> make_volume_protection(const ControllerContext& context);
// Classes of volume attributes, while claims or volumes name them.
std::unique_ptr<Controller> make_attributes_class_protection(const ControllerContext& context);

}  // namespace proa::controllers
