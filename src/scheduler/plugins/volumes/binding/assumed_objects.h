#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "client/informer/informer.h"

namespace proa::scheduler {

// Objects of one resource as they will be when what was decided is written: the informer's, but for
// those of which something is assumed. That counts until the server has another state of the
// object. For the thread that polls the informer.
class AssumedObjects {
 public:
  // Follows the informer, which outlives it and is not started yet.
  explicit AssumedObjects(client::Informer& informer);

  const client::Cache& cache() const { return cache_; }
  // Null when there is none.
  api::ObjectPtr get(const client::Key& key) const;
  // What is assumed of an object of the cache; else the object.
  api::ObjectPtr current(const api::ObjectPtr& object) const;

  // kConflict when the cache has another state of it than the one that was changed.
  Result<void> assume(api::ObjectPtr object);
  // Takes it back, if it still counts.
  void restore(const api::Object& assumed);

 private:
  using Assumed = std::map<client::Key, api::ObjectPtr>;

  const client::Cache& cache_;
  // Shared with the handler, which may outlive this.
  const std::shared_ptr<Assumed> assumed_ = std::make_shared<Assumed>();
};

}  // namespace proa::scheduler
