#pragma once

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

struct Removed {
  api::ObjectPtr object;  // as it was last, or as it waits now for its end
  bool gone = false;
};

// Deletes an object, or marks it as being deleted where a grace period or finalizers stand in the
// way. Blocks until that is durable. Not on a loop's thread.
Result<Removed> remove_object(const ApiContext& context, const Request& request,
                              const DeleteOptions& options);

// Whether nothing keeps an object that is being deleted any more.
bool is_ready_to_go(api::View object, const api::Resource& resource);
// Takes it out of the store, and returns its last state; null when somebody else was faster. `old`:
// what the entry holds.
Result<api::ObjectPtr> finish_deletion(const ApiContext& context, const Request& request,
                                       const store::EntryPtr& entry, api::View old, bool dry_run);

}  // namespace proa::apiserver
