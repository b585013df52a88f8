#pragma once

#include "api/apply/fields/field_set.h"
#include "api/apply/fields/place.h"
#include "json/value.h"

namespace proa::api {

// The fields that an applied configuration states (upstream's TypedValue.ToFieldSet): leaves, and
// items of lists and maps. Borrows from the value. REQUIRES: check_typed() found nothing wrong.
FieldSet owned_fields(const json::Value& value, Place place, json::Arena& arena);

// With a path to every declared field that has paths below it (upstream's
// EnsureNamedFieldsAreMembers).
FieldSet with_named_fields(FieldSet set, Place place, json::Arena& arena);

// Follows changes of the schema since the set was written (ReconcileFieldSetWithSchema): what is
// below a list or map that is atomic by now is owned with it.
FieldSet reconcile_fields(FieldSet set, Place place, json::Arena& arena);

}  // namespace proa::api
