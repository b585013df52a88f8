#pragma once

#include <string_view>

#include "api/apply/managed/versions.h"
#include "api/object/edit.h"
#include "base/result.h"
#include "base/time.h"
#include "json/value.h"

// Keeps metadata.managedFields of objects that are written, and merges applied configurations, as
// upstream's managedfields.FieldManager.

namespace proa::api {

// Who writes, and when.
struct FieldWriter {
  std::string_view manager;  // "unknown" if empty
  Time now;
};

// A write that is no apply replaces `live`, which is the empty object of its type if the object is
// created: sets the managed fields of `object`. Not written through a subresource, they are the
// client's if it states some; an empty list forgets all managers, and an object without managers
// has none until something is applied. If they cannot be kept, there are none.
// REQUIRES: both are decoded as that type.
void track_update(const ManagedKind& kind, const json::Value& live, Edit object,
                  const FieldWriter& writer);

// Server-side apply. Returns the merged object with its managed fields; callers decode it, and set
// defaults. The same object as `live`, if only managers changed. Fails with kConflict, with
// kBadRequest, or as kUnknown (500) with upstream's message if `config` is not of its type.
// REQUIRES: `live` is decoded; it is the empty object if the object is created.
Result<json::Document> apply_fields(const ManagedKind& kind, const json::Value& live,
                                    const json::Value& config, const FieldWriter& writer,
                                    bool force);

// The failure if what `config` was merged to is not of its type: kUnknown (500).
Status not_convertible(View config, std::string_view why);

// The object of a kind with no field set, as upstream's structs print it.
json::Document empty_object(const ManagedKind& kind);

}  // namespace proa::api
