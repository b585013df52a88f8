#pragma once

#include <string>
#include <vector>

#include "api/object/view.h"
#include "sim/cluster.h"

namespace proa::sim {

// Nodes without machines: pods are put on them, begin to run, become ready, end and go, one thing
// after the other and in any order.
class Kubelets {
 public:
  Kubelets(Cluster& cluster, size_t nodes);

  // Does one of the things that are to be done for some pod; false when there is nothing to do.
  bool act();
  // Sometimes pods fail, with an exit code from 1 to 3, or are not ready for a while.
  void set_trouble(bool trouble) { trouble_ = trouble; }
  // Their leases, so that they count as alive. To be called every ten seconds.
  void renew();
  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  void register_node(const std::string& name);
  bool advance(const api::Object& pod);
  bool bind(const api::Object& pod);
  bool claims_there(const api::Object& pod);
  bool run(const api::Object& pod);
  bool finish(const api::Object& pod);
  // Its container failed, and runs again.
  bool restart(const api::Object& pod, api::View root);
  bool remove(const api::Object& pod);
  bool set_status(const api::Object& pod, std::string status);

  Cluster& cluster_;
  std::vector<std::string> nodes_;
  std::vector<api::ObjectPtr> leases_;  // of each node, as it was written last
  bool trouble_ = false;
  size_t addresses_ = 0;
};

}  // namespace proa::sim
