#pragma once

#include <set>
#include <string_view>

#include "kinds/rules.h"

namespace proa::kinds::crd {

// More than anybody has. Each version has documents and resources of its own, which takes time
// whenever the definition changes.
inline constexpr size_t kMaxVersions = 100;

// Which checks a definition has to pass: upstream's validationOptions. An update need not correct
// what is already wrong with the stored definition: checks came later than definitions.
struct DefinitionChecks {
  bool schemas_required = true;
  bool known_types = true;
  bool structural_schemas = true;
  bool atomic_sets = true;
  bool sound_map_keys = true;
  bool known_review_version = true;
  bool valid_ca_bundle = false;         // not before it is established
  size_t most_versions = kMaxVersions;  // or as many as are stored
  // Versions whose schema is as stored.
  std::set<std::string_view> unchanged_schemas;
  // Versions with more selectable fields than allowed, as stored; "" if all versions share them.
  std::set<std::string_view> tolerated_selectable;
};

DefinitionChecks checks_of_update(View object, View old);

bool is_established(View object);

// Whether all versions have the same part ("schema"). Upstream stores those once, and reports their
// errors at "spec.validation", "spec.subresources" and so on; so do we.
bool is_shared(View versions, std::string_view part);

}  // namespace proa::kinds::crd
