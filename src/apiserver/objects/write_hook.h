#pragma once

#include <memory>
#include <vector>

#include "api/object/edit.h"
#include "apiserver/request/request.h"
#include "base/result.h"
#include "store/store.h"

namespace proa::apiserver {

// A write in progress, as hooks see it.
struct Step {
  const Request& request;
  api::View old;    // absent for a create
  store::Txn& txn;  // further operations of the same commit
  // Released after the commit, whatever its outcome: locks.
  std::vector<std::shared_ptr<void>>& held;
  bool dry_run = false;
};

// Writes that accompany a write of some resource, such as an allocated address. They are part of
// the object's commit, so that neither exists without the other. On a conflict the commit is
// retried, starting with the hook.
class WriteHook {
 public:
  virtual ~WriteHook() = default;
  virtual bool concerns(const api::Resource& resource) const = 0;
  // Whether on_write() changes objects. Then each attempt of a commit begins with a fresh copy.
  virtual bool changes_objects() const { return true; }
  // `object` may still be changed.
  virtual Result<void> on_write(api::Edit object, const Step& step) = 0;
  virtual Result<void> on_delete(api::View object, const Step& step) = 0;
};

}  // namespace proa::apiserver
