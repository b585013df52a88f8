#pragma once

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

struct Removed {
  api::ObjectPtr object;  // its last state, or its state while it waits for deletion
  bool gone = false;
};

// Deletes an object, or marks it as being deleted if it has a grace period or finalizers. Blocks
// until that is durable. REQUIRES: not on a loop thread.
Result<Removed> remove_object(const ApiContext& context, const Request& request,
                              const DeleteOptions& options);

// Whether nothing delays the deletion of a terminating object any more.
bool is_ready_to_delete(api::View object, const api::Resource& resource);
// Deletes it from the store and returns its last state; null on a conflict. `old` is the entry's
// document.
Result<api::ObjectPtr> finish_deletion(const ApiContext& context, const Request& request,
                                       const store::EntryPtr& entry, api::View old, bool dry_run);

}  // namespace proa::apiserver
