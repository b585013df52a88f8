#include "testkit/policy/policy_world.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"
#include "base/check.h"

namespace proa::testkit {
namespace policy_world {

constexpr std::string_view kNoController[] = {"none"};
constexpr std::string_view kGroup = "networking.k8s.io";

}  // namespace policy_world

PolicyWorld::PolicyWorld(std::vector<IpAddress> dns)
    : dns_(std::move(dns)), world_(policy_world::kNoController) {
  restart();
}

void PolicyWorld::restart() {
  agent_ = std::make_unique<policy::PolicyAgent>(
      policy::PolicyAgent::Context{.client = world_.client(),
                                   .schema = api::builtin_schema(),
                                   .clock = clock_,
                                   .random = random_,
                                   .node = api::NodeName("here"),
                                   .bridge = "proa0",
                                   .dns = dns_,
                                   .bridge_interval = Duration(0)});
  opened_ = false;
}

void PolicyWorld::put_namespace(const std::string& name, const std::string& labels) {
  if (world_.get("", "namespaces", "", name) == nullptr) {
    world_.create("", "namespaces", "",
                  fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}}}})", name, labels));
    return;
  }
  world_.patch("", "namespaces", "", name,
               fmt::format(R"({{"metadata":{{"labels":{{{}}}}}}})", labels));
}

void PolicyWorld::put_pod(const std::string& name_space, const std::string& name,
                          const std::string& labels, const std::vector<std::string>& addresses,
                          const std::string& node, const std::string& ports) {
  world_.create(
      "", "pods", name_space,
      fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"spec":{{"nodeName":"{}",)"
                  R"("automountServiceAccountToken":false,)"
                  R"("containers":[{{"name":"c","image":"i","ports":[{}]}}]}}}})",
                  name, labels, node, ports));
  std::string ips;
  for (const std::string& address : addresses) {
    ips += fmt::format(R"({}{{"ip":"{}"}})", ips.empty() ? "" : ",", address);
  }
  world_.patch("", "pods", name_space, name,
               fmt::format(R"({{"status":{{"phase":"Running","podIP":"{}","podIPs":[{}]}}}})",
                           addresses.at(0), ips),
               "status");
}

std::string PolicyWorld::put_starting_pod(const std::string& name_space, const std::string& name,
                                          const std::string& labels) {
  const api::ObjectPtr made = world_.create(
      "", "pods", name_space,
      fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"spec":{{"nodeName":"here",)"
                  R"("automountServiceAccountToken":false,)"
                  R"("containers":[{{"name":"c","image":"i"}}]}}}})",
                  name, labels));
  return std::string(made->metadata().uid);
}

void PolicyWorld::label_pod(const std::string& name_space, const std::string& name,
                            const std::string& labels) {
  world_.patch("", "pods", name_space, name,
               fmt::format(R"({{"metadata":{{"labels":{{{}}}}}}})", labels));
}

void PolicyWorld::put_policy(const std::string& name_space, const std::string& name,
                             const std::string& spec) {
  if (world_.get(policy_world::kGroup, "networkpolicies", name_space, name) != nullptr) {
    world_.remove(policy_world::kGroup, "networkpolicies", name_space, name);
  }
  world_.create(policy_world::kGroup, "networkpolicies", name_space,
                fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{}}})", name, spec));
}

void PolicyWorld::remove_policy(const std::string& name_space, const std::string& name) {
  world_.remove(policy_world::kGroup, "networkpolicies", name_space, name);
}

void PolicyWorld::remove_pod(const std::string& name_space, const std::string& name) {
  client::RemoveChoices choices;
  choices.grace_seconds = 0;
  CHECK(world_.client().remove(world_.place("", "pods", name_space, name), choices, {}).ok());
}

void PolicyWorld::settle() {
  if (!opened_) CHECK(agent_->open().ok());
  opened_ = true;
  // Lists, then what the watches have.
  constexpr int kRounds = 10;
  for (int i = 0; i < kRounds; ++i) {
    agent_->poll();
    CHECK(agent_->step() == Steady::max());
  }
}

}  // namespace proa::testkit
