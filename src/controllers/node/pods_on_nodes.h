#pragma once

#include <string>
#include <vector>

#include "controllers/framework/informers.h"

namespace proa::controllers::nodes {

// The pods, found by the node that they are bound to.
class PodsOnNodes {
 public:
  // `whose`: names the index, so that each controller has its own. `informers` outlives it.
  PodsOnNodes(Informers& informers, std::string_view whose);

  std::vector<api::ObjectPtr> on(const std::string& node) const;
  client::Informer& informer() const { return pods_; }

 private:
  client::Informer& pods_;
  const std::string index_;
};

}  // namespace proa::controllers::nodes
