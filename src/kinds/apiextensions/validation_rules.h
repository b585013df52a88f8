#pragma once

#include <unordered_set>

#include "kinds/rules.h"

namespace proa::kinds::crd {

// Schemas whose x-kubernetes-validations can be compiled: nothing else is wrong with them.
using SoundSchemas = std::unordered_set<const json::Value*>;

// A rule of x-kubernetes-validations without its expressions. `schema`: that of the value, for
// fieldPath; absent: it cannot be followed.
void validate_rule(View rule, View schema, const api::Path& path, api::FieldErrors& errors);

// The expressions of all rules of a version: whether they compile, and what they can cost, each and
// together. `unchanged`: the schema is stored like this, so that the cost of a single rule is not
// limited: an estimate that became more precise must not refuse an update of something else.
// REQUIRES: the schema is structural.
void validate_expressions(View schema, const SoundSchemas& sound, bool unchanged,
                          const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds::crd
