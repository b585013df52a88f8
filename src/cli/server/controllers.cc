#include "cli/server/controllers.h"

#include "api/schema/builtin.h"
#include "controllers/controllers.h"

namespace proa::cli {
namespace server_controllers {

using Entries = std::vector<controllers::ControllerEntry>;

Entries with_those_of_api_server(Entries entries) {
  if (entries.empty()) return entries;
  const auto others = controllers::api_server_controllers();
  entries.insert(entries.end(), others.begin(), others.end());
  return entries;
}

}  // namespace server_controllers

apiserver::User controller_user(std::string_view account) {
  if (account.empty()) {
    return {
        .name = "system:kube-controller-manager", .uid = {}, .groups = {"system:authenticated"}};
  }
  return {.name = "system:serviceaccount:kube-system:" + std::string(account),
          .uid = {},
          .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                     "system:authenticated"}};
}

ServerControllers::ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                                     std::vector<controllers::ControllerEntry> entries,
                                     controllers::ControllerOptions options,
                                     client::Candidate candidate)
    : led_by_another_(entries.empty()),
      shared_{.client_for =
                  [&api](std::string_view account) { return api.client(controller_user(account)); },
              .schema = api::builtin_schema(),
              .clock = clock,
              .random = random,
              .pool = pool_,
              .options = std::move(options)},
      manager_(server_controllers::with_those_of_api_server(std::move(entries)), shared_,
               std::move(candidate)) {}

void ServerControllers::start() {
  manager_.start();
  if (!led_by_another_) return;
  of_api_server_.emplace(controllers::api_server_controllers(), shared_);
  starting_ = std::jthread([this](const std::stop_token& stop) {
    static_cast<void>(of_api_server_->start({.deadline = Steady::max(), .stop = stop}));
  });
}

void ServerControllers::stop() {
  starting_ = {};
  of_api_server_.reset();
  manager_.stop();
}

}  // namespace proa::cli
