#pragma once

#include <string>
#include <vector>

#include "api/object/view.h"
#include "sim/cluster.h"

namespace proa::sim {

// Simulated nodes: bind pods, run them, make them ready, finish and remove them, one step at a time
// in random order.
class Kubelets {
 public:
  Kubelets(Cluster& cluster, size_t nodes);

  // Performs one step for a random pod; false if there is none.
  bool act();
  // Pods may fail, with exit codes 1 to 3, or become unready for a while.
  void set_failures(bool failures) { failures_ = failures; }
  // Renews the nodes' leases. Call every ten seconds.
  void renew();
  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  void register_node(const std::string& name);
  bool advance(const api::Object& pod);
  bool bind(const api::Object& pod);
  bool claims_there(const api::Object& pod);
  bool run(const api::Object& pod);
  bool finish(const api::Object& pod);
  // Restarts its failed container.
  bool restart(const api::Object& pod, api::View root);
  bool remove(const api::Object& pod);
  bool set_status(const api::Object& pod, std::string status);

  Cluster& cluster_;
  std::vector<std::string> nodes_;
  std::vector<api::ObjectPtr> leases_;  // of each node, as last written
  bool failures_ = false;
  size_t addresses_ = 0;
};

}  // namespace proa::sim
