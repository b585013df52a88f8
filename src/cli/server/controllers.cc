#include "cli/server/controllers.h"

#include "api/schema/builtin.h"

namespace proa::cli {
namespace server_controllers {

// As upstream: each controller has its own service account with a matching role.
apiserver::User identity_of(std::string_view account) {
  if (account.empty()) {
    return {
        .name = "system:kube-controller-manager", .uid = {}, .groups = {"system:authenticated"}};
  }
  return {.name = "system:serviceaccount:kube-system:" + std::string(account),
          .uid = {},
          .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                     "system:authenticated"}};
}

}  // namespace server_controllers

ServerControllers::ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                                     std::vector<controllers::ControllerEntry> entries,
                                     controllers::ControllerOptions options,
                                     client::Candidate candidate)
    : manager_(std::move(entries),
               {.client_for =
                    [&api](std::string_view account) {
                      return api.client(server_controllers::identity_of(account));
                    },
                .schema = api::builtin_schema(),
                .clock = clock,
                .random = random,
                .pool = pool_,
                .options = std::move(options)},
               std::move(candidate)) {}

}  // namespace proa::cli
