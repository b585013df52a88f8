#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "api/object/object.h"
#include "client/informer/informers.h"

namespace proa::scheduler {

// Labels of namespaces, with a generation for changes. For the scheduler's thread, which also polls
// the informers.
class NamespaceLabels {
 public:
  // REQUIRES: the informers are not started.
  explicit NamespaceLabels(client::Informers& informers);

  // Null if the namespace does not exist.
  api::ObjectPtr find(std::string_view name) const;
  // Incremented when labels change or namespaces are added or deleted.
  uint64_t generation() const { return *generation_; }

 private:
  const client::Cache& cache_;
  std::shared_ptr<uint64_t> generation_;  // shared: the informer's handler outlives the plugin
};

}  // namespace proa::scheduler
