#include "apiserver/access/admission/policies/apply.h"

#include <string>
#include <vector>

#include "api/apply/fields/check.h"
#include "api/apply/fields/merge.h"
#include "base/strings.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"

namespace proa::apiserver {
namespace apply_policies {

using api::Atom;
using api::Place;

Result<Place> place_of(const Matched& matched) {
  if (!matched.resource->custom || matched.kind != matched.resource->type) {
    return Place(*matched.kind);
  }
  const custom::Schema* schema = TRY(custom::custom_resource(*matched.resource).schema());
  return Place::custom_object(schema->structure());
}

// The paths of what is atomic.
void find_atomics(const json::Value& value, Place place, const std::string& path,
                  std::vector<std::string>& found) {
  const Atom atom = place.resolve().fitting(&value);
  if (value.is(json::Kind::kObject) && atom.map) {
    if (atom.map_atomic) found.push_back(path);
    for (const json::Member& member : value.members()) {
      const Place field = atom.find(member.key);
      if (!field.declared()) continue;
      find_atomics(member.value, field, path + "." + std::string(member.key), found);
    }
  }
  if (value.is(json::Kind::kArray) && atom.list) {
    if (atom.list_atomic) found.push_back(path);
    for (size_t i = 0; i < value.size(); ++i) {
      find_atomics(value.items()[i], atom.items, path + "[" + std::to_string(i) + "]", found);
    }
  }
}

Status failure(std::string_view what, std::string_view why) {
  return {Reason::kInvalid, "error applying patch: " + std::string(what) + std::string(why)};
}

}  // namespace apply_policies

Result<json::Value> apply_configuration(const json::Value& live, const json::Value& configuration,
                                        const Matched& matched, json::Arena& arena) {
  namespace own = apply_policies;
  const api::Place place = TRY(own::place_of(matched));
  const std::string wrong = api::check_typed(configuration, place, api::Duplicates::kRejected);
  if (!wrong.empty()) {
    return own::failure("failed to convert patch object to typed object: ", wrong);
  }
  std::vector<std::string> atomics;
  own::find_atomics(configuration, place, "", atomics);
  if (!atomics.empty()) {
    return own::failure(
        "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ",
        join(atomics, ", "));
  }
  const std::string before = api::check_typed(live, place, api::Duplicates::kAllowed);
  if (!before.empty()) {
    return own::failure("failed to convert original object to typed object: ", before);
  }
  return api::merge_fields(live, configuration, place, arena);
}

}  // namespace proa::apiserver
