#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/cluster.h"

namespace proa::sim {

// A change of a pod. At least one of the two is set.
struct PodChange {
  api::ObjectPtr before;
  api::ObjectPtr after;

  const api::Object& pod() const { return after != nullptr ? *after : *before; }
  bool appears() const { return before == nullptr; }
  // Is deleted or being deleted, and was not before.
  bool leaves() const;
};

// Pod changes in order. Comparing snapshots would miss short-lived pods and the order.
class PodWatch {
 public:
  using Pods = std::map<std::string, api::ObjectPtr>;  // by name

  // Existing pods are not reported.
  void begin(Cluster& cluster);
  // Reports changes since the last call. `pods`: the state just before the change.
  using Listener = std::function<void(const PodChange& change, const Pods& pods)>;
  void follow(const Listener& tell);

 private:
  void apply(const client::Event& event, const Listener& tell);

  std::unique_ptr<client::Watch> watch_;
  Pods pods_;
};

}  // namespace proa::sim
