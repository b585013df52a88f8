#pragma once

#include "api/apply/fields/field_set.h"
#include "api/apply/managed/versions.h"
#include "api/object/edit.h"
#include "base/time.h"

namespace proa::api {

// What nobody owns, as it is never a choice of the writer (upstream's stripMetaManager).
FieldSet unowned_fields();

// track_update() for the usual case: the object exists, the write does not state other managers
// than it has, and all of them use the version of the request. Managed fields stay encoded; only
// the sets of those who gain or lose a field are read. False, without a change, in other cases.
bool track_in_place(const ManagedKind& kind, const json::Value& live, Edit object,
                    std::string_view manager, Time now);

}  // namespace proa::api
