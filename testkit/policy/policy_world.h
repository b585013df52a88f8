#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "policy/agent.h"
#include "testkit/controllers/test_world.h"

namespace proa::testkit {

// An API server with namespaces, pods and policies, and the agent of the node "here", which acts in
// the network namespace of the caller of settle().
class PolicyWorld {
 public:
  explicit PolicyWorld(std::vector<IpAddress> dns = {});

  void put_namespace(const std::string& name, const std::string& labels);
  // `labels`: members of a JSON object.
  void put_pod(const std::string& name_space, const std::string& name, const std::string& labels,
               const std::vector<std::string>& addresses, const std::string& node = "here",
               const std::string& ports = "");
  // Without addresses: its sandbox is being made. Returns its uid.
  std::string put_starting_pod(const std::string& name_space, const std::string& name,
                               const std::string& labels);
  void label_pod(const std::string& name_space, const std::string& name, const std::string& labels);
  void put_policy(const std::string& name_space, const std::string& name, const std::string& spec);
  void remove_policy(const std::string& name_space, const std::string& name);
  // At once, as its kubelet does in the end.
  void remove_pod(const std::string& name_space, const std::string& name);

  // Until the kernel has what the API says. Fails the program if it cannot.
  void settle();
  // Another agent, as after a restart.
  void restart();
  policy::PolicyAgent& agent() { return *agent_; }
  TestWorld& world() { return world_; }

 private:
  std::vector<IpAddress> dns_;
  TestWorld world_;
  SystemClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<policy::PolicyAgent> agent_;
  bool opened_ = false;
};

}  // namespace proa::testkit
