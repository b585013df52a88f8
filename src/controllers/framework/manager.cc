#include "controllers/framework/manager.h"

#include "base/log.h"

namespace proa::controllers {
namespace manager {

const Log kLog{"controllers"};

client::ElectionOptions election(const api::Schema& schema, const std::string& identity) {
  client::ElectionOptions options;
  options.lease = {.resource = schema.find_resource("coordination.k8s.io", "v1", "leases"),
                   .name_space = "kube-system",
                   .name = "kube-controller-manager",
                   .subresource = {}};
  options.identity = identity;
  return options;
}

}  // namespace manager

Manager::Manager(std::vector<ControllerEntry> entries, Surroundings surroundings,
                 const std::string& identity)
    : entries_(std::move(entries)),
      surroundings_(std::move(surroundings)),
      client_(surroundings_.client_for("")),
      election_(*client_, surroundings_.clock, surroundings_.random,
                manager::election(surroundings_.schema, identity),
                {.started_leading = [this] { lead(); },
                 .stopped_leading = [this] { give_way(); },
                 .new_leader = {}}) {}

Manager::~Manager() { stop(); }

void Manager::start() {
  if (entries_.empty()) return;  // the lead is somebody else's
  thread_ = std::jthread([this](const std::stop_token& stop) { election_.run(stop); });
}

void Manager::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  leading_.request_stop();
  thread_.join();
  give_way();
}

void Manager::lead() {
  leading_ = std::stop_source();
  starting_ = std::jthread([this] {
    set_ = std::make_unique<ControllerSet>(entries_, surroundings_);
    if (!set_->start({.deadline = Steady::max(), .stop = leading_.get_token()})) return;
    manager::kLog.info("controllers run", {{"controllers", entries_.size()}});
  });
}

void Manager::give_way() {
  leading_.request_stop();
  if (starting_.joinable()) starting_.join();
  set_.reset();
}

}  // namespace proa::controllers
