#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/cluster.h"

namespace proa::sim {

// One thing that happened to a pod. At least one of the two is there.
struct PodChange {
  api::ObjectPtr before;
  api::ObjectPtr after;

  const api::Object& pod() const { return after != nullptr ? *after : *before; }
  bool appears() const { return before == nullptr; }
  // Is gone, or on its way out, and was not before.
  bool leaves() const;
};

// What happens to pods, one thing after the other: between two looks at what is there, pods may
// have come and gone, and nobody could say in which order.
class PodWatch {
 public:
  using Pods = std::map<std::string, api::ObjectPtr>;  // by name

  // What is there already is not told.
  void begin(Cluster& cluster);
  // Tells what happened since it was asked last. `pods`: as they were just before the change.
  using Listener = std::function<void(const PodChange& change, const Pods& pods)>;
  void follow(const Listener& tell);

 private:
  void apply(const client::Event& event, const Listener& tell);

  std::unique_ptr<client::Watch> watch_;
  Pods pods_;
};

}  // namespace proa::sim
