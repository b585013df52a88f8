#include "controllers/framework/manager.h"

#include "base/log.h"

namespace proa::controllers {
namespace manager {

const Log kLog{"controllers"};

client::ElectionOptions election(const api::Schema& schema, client::Candidate candidate) {
  client::ElectionOptions options;
  options.lease = {.resource = schema.find_resource("coordination.k8s.io", "v1", "leases"),
                   .name_space = "kube-system",
                   .name = "kube-controller-manager",
                   .subresource = {}};
  options.candidate = std::move(candidate);
  static_cast<client::ElectionPace&>(options) = client::kUnhurried;
  return options;
}

}  // namespace manager

Manager::Manager(std::vector<ControllerEntry> entries, SharedContext shared,
                 client::Candidate candidate)
    : entries_(std::move(entries)),
      shared_(std::move(shared)),
      client_(shared_.client_for("")),
      leading_(*client_, shared_.clock, shared_.random,
               manager::election(shared_.schema, std::move(candidate)),
               [this](const std::stop_token& lost) { return lead(lost); }) {}

void Manager::start() {
  if (entries_.empty()) return;  // the lead is somebody else's
  leading_.start();
}

Result<void> Manager::health() const {
  return entries_.empty() ? Result<void>() : leading_.health();
}

std::shared_ptr<void> Manager::lead(const std::stop_token& lost) const {
  auto set = std::make_shared<ControllerSet>(entries_, shared_);
  if (!set->start({.deadline = Steady::max(), .stop = lost})) return nullptr;
  manager::kLog.info("controllers started", {{"controllers", entries_.size()}});
  return set;
}

}  // namespace proa::controllers
