#pragma once

#include "api/schema/schema.h"
#include "base/time.h"
#include "store/store.h"

namespace proa::apiserver {

// Notes the date in the label kubernetes.io/legacy-token-last-used of a Secret whose token is being
// used: by it administrators, and the cleaner of tokens, find unused ones. At most one write a day;
// does not wait for it. REQUIRES: `entry` is the stored Secret, `type` its type.
void note_last_use(store::Store& store, const api::Type& type, const store::EntryPtr& entry,
                   Time now);

}  // namespace proa::apiserver
