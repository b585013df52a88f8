#pragma once

#include <memory>
#include <vector>

#include "api/object/edit.h"
#include "apiserver/request/request.h"
#include "base/result.h"
#include "store/store.h"

namespace proa::apiserver {

// One write on its way into the store, as hooks see it.
struct Step {
  const Request& request;
  api::View old;    // absent for a create
  store::Txn& txn;  // what goes with the object, in the same commit
  // Let go of when the commit is over, whatever became of it: locks.
  std::vector<std::shared_ptr<void>>& held;
  bool dry_run = false;
};

// What a write of some resource takes with it: an address that is reserved, a record that is kept.
// It happens in the object's own commit, so that neither exists without the other. A commit that
// others were faster than is tried again, from the hook on.
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
