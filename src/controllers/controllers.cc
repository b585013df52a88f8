#include "controllers/controllers.h"

#include "controllers/certificates/requests.h"
#include "controllers/lifecycle/namespaces.h"
#include "controllers/lifecycle/service_accounts.h"

namespace proa::controllers {
namespace table {

// Adding one: a unit, and a line here. Accounts are upstream's, whose roles are among the default
// ones.
constexpr ControllerEntry kControllers[] = {
    {"csrapproving", "certificate-controller", make_request_approver},
    {"csrsigning", "certificate-controller", make_request_signer},
    {"namespace", "namespace-controller", make_namespace_controller},
    {"serviceaccount", "service-account-controller", make_service_account_controller},
    {"root-ca-certificate-publisher", "root-ca-cert-publisher", make_root_authority_publisher},
};

}  // namespace table

std::span<const ControllerEntry> all_controllers() { return table::kControllers; }

}  // namespace proa::controllers
