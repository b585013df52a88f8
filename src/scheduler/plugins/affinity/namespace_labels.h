#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "api/object/object.h"
#include "client/informer/informers.h"

namespace proa::scheduler {

// The labels of namespaces, and whether they changed. For the scheduler's thread, which polls the
// informers too.
class NamespaceLabels {
 public:
  // REQUIRES: the informers have not begun.
  explicit NamespaceLabels(client::Informers& informers);

  // Null when there is no such namespace.
  api::ObjectPtr find(std::string_view name) const;
  // Grows when labels change, or namespaces come or go.
  uint64_t generation() const { return *generation_; }

 private:
  const client::Cache& cache_;
  std::shared_ptr<uint64_t> generation_;  // shared: the informer's handler outlives the plugin
};

}  // namespace proa::scheduler
