#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "client/informer/informer.h"

namespace proa::scheduler {

// Objects of one resource including assumed changes: the informer's objects, except for those with
// assumed changes, which hold until the server has a newer version. For the thread that polls the
// informer.
class AssumedObjects {
 public:
  // Watches the informer, which outlives it and is not started yet.
  explicit AssumedObjects(client::Informer& informer);

  const client::Cache& cache() const { return cache_; }
  // Null if it does not exist.
  api::ObjectPtr get(const client::Key& key) const;
  // The assumed version of a cached object; else the object.
  api::ObjectPtr current(const api::ObjectPtr& object) const;

  // kConflict if the cache has another version than the one that was changed.
  Result<void> assume(api::ObjectPtr object);
  // Reverts the assumption, if it still holds.
  void restore(const api::Object& assumed);

 private:
  using Assumed = std::map<client::Key, api::ObjectPtr>;

  const client::Cache& cache_;
  // Shared with the handler, which may outlive this.
  const std::shared_ptr<Assumed> assumed_ = std::make_shared<Assumed>();
};

}  // namespace proa::scheduler
