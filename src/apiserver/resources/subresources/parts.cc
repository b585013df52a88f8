#include "apiserver/resources/subresources/subresources.h"
#include "kinds/certificates/certificate_signing_request.h"
#include "kinds/core/namespace.h"
#include "kinds/core/pods/subresources.h"

namespace proa::apiserver {
namespace parts {

using api::Edit;
using api::View;

// Restores the old object except for `outer`.`inner` ("spec.finalizers") and metadata.
void take_only(Edit object, View old, std::string_view outer, std::string_view inner) {
  json::Value taken;
  const View wanted = object[outer][inner];
  const bool present = wanted.exists();
  if (present) taken = wanted.value()->copy(object.arena());
  std::vector<std::string> names;
  for (const json::Member& member : object.view().members()) names.emplace_back(member.key);
  for (const std::string& name : names) {
    if (name != "metadata" && !old[name].exists()) object.remove(name);
  }
  for (const json::Member& member : old.members()) {
    if (member.key != "metadata") object.copy(member.key, member.value);
  }
  if (present) {
    object.object(outer).set(inner, std::move(taken));
  } else if (object[outer].exists()) {
    object.existing(outer).remove(inner);
  }
}

void take_finalizers(Edit object, View old) { take_only(object, old, "spec", "finalizers"); }
void take_conditions(Edit object, View old) { take_only(object, old, "status", "conditions"); }

struct Entry {
  std::string_view name;
  UpdateRules rules;
};

// Adding one: its functions in the unit of the kind, and a line here.
constexpr Entry kEntries[] = {
    {"approval",
     {.merge = take_conditions,
      .prepare = kinds::prepare_approval_update,
      .validate = kinds::validate_approval_update}},
    {"ephemeralcontainers",
     {.merge = kinds::prepare_ephemeral_containers_update,
      .validate = kinds::validate_ephemeral_containers_update}},
    {"finalize", {.merge = take_finalizers, .validate = kinds::validate_namespace_finalize}},
    {"resize", {.merge = kinds::prepare_resize, .validate = kinds::validate_resize}},
};

}  // namespace parts

std::optional<UpdateRules> part_rules(const Request& request) {
  const std::string_view name = request.subresource->name;
  if (name == "status") return update_rules(request);
  for (const parts::Entry& entry : parts::kEntries) {
    if (entry.name == name) return entry.rules;
  }
  return std::nullopt;
}

}  // namespace proa::apiserver
