#pragma once

#include <memory>
#include <optional>

#include "api/object/view.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// When a CertificateSigningRequest is deleted, by upstream's ages since its last condition;
// nullopt: never in its current state.
std::optional<Time> removal_of_request(api::View request);

// Deletes outdated CertificateSigningRequests. The keys are their names.
std::unique_ptr<Controller> make_request_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
