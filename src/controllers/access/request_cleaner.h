#pragma once

#include <memory>
#include <optional>

#include "api/object/view.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// When a request for a certificate has done what it was for, or will never do it, and goes;
// nullopt: not as it is. By upstream's ages, from the last change of what was decided.
std::optional<Time> removal_of_request(api::View request);

// Deletes requests for certificates when their time has come. The keys are their names.
std::unique_ptr<Controller> make_request_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
