#include "controllers/framework/claim.h"

#include "controllers/framework/writes.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace claim {

std::string quoted(std::string_view text) {
  std::string out;
  json::print_string_to(out, text);
  return out;
}

}  // namespace claim

void put_owner_reference(api::Edit metadata, const Owner& owner) {
  const api::Edit reference = metadata.array("ownerReferences").push_object();
  reference.set("apiVersion", owner.resource.group_version());
  reference.set("kind", owner.resource.type->name);
  reference.set("name", owner.object.metadata().name);
  reference.set("uid", owner.object.metadata().uid);
  reference.set("controller", true);
  reference.set("blockOwnerDeletion", true);
}

Claimer::Claimer(const ControllerContext& context, std::string_view group,
                 std::string_view resource)
    : client_(context.client),
      resource_(*context.schema.find_resource(group, "v1", resource)),
      informer_(context.informers.by_controller(group, resource)) {}

std::vector<api::ObjectPtr> Claimer::owned_by(const api::Object& owner) const {
  return informer_.cache().find("controller", std::string(owner.metadata().uid));
}

Result<std::vector<api::ObjectPtr>> Claimer::claim(const Owner& owner,
                                                   const api::LabelSelector& selector,
                                                   const Filter& among) {
  const auto wanted = [&selector](const api::Object& object) {
    return selector.matches(object.metadata().labels);
  };
  return claim(owner, Filter(wanted), among);
}

Result<std::vector<api::ObjectPtr>> Claimer::claim(const Owner& owner, const Filter& wanted,
                                                   const Filter& among) {
  const auto is_among = [&among](const api::Object& object) { return !among || among(object); };
  const bool leaving = owner.object.metadata().being_deleted;
  std::vector<api::ObjectPtr> claimed;
  Result<void> outcome;
  for (api::ObjectPtr& object : owned_by(owner.object)) {
    if (!is_among(*object)) continue;
    if (wanted(*object)) {
      claimed.push_back(std::move(object));
    } else if (!leaving) {
      if (Result<void> released = release(owner, *object); !released) outcome = released;
    }
  }
  if (leaving) return claimed;
  std::optional<bool> allowed;
  const std::string orphans = orphans_of(owner.object.metadata().name_space);
  for (const api::ObjectPtr& object : informer_.cache().find("controller", orphans)) {
    const bool may_come = !object->metadata().being_deleted && is_among(*object);
    if (!may_come || !wanted(*object)) continue;
    if (!allowed) allowed = TRY(may_adopt(owner));
    if (!*allowed) continue;
    Result<api::ObjectPtr> adopted = adopt(owner, *object);
    if (!adopted) {
      outcome = adopted.status();
    } else if (*adopted != nullptr) {
      claimed.push_back(std::move(*adopted));
    }
  }
  if (!outcome) return outcome.status();
  return claimed;
}

Result<bool> Claimer::may_adopt(const Owner& owner) const {
  const client::Key key = client::Key::of(owner.object);
  const Result<api::ObjectPtr> now = client_.get(place_of(owner.resource, key));
  if (now.is(Reason::kNotFound)) return false;
  if (!now) return now.status();
  return (*now)->metadata().uid == owner.object.metadata().uid && !(*now)->metadata().being_deleted;
}

Result<api::ObjectPtr> Claimer::adopt(const Owner& owner, const api::Object& object) {
  json::Document patch;
  patch.root() = json::Value::object();
  const api::Edit metadata = api::Edit(patch).object("metadata");
  put_owner_reference(metadata, owner);
  metadata.set("uid", object.metadata().uid);  // another object of that name is not meant
  Result<api::ObjectPtr> adopted = client_.patch(place_of(resource_, client::Key::of(object)),
                                                 api::PatchType::kStrategic, std::move(patch), {});
  // It is gone, or it is another one meanwhile: nothing of ours.
  if (adopted.is(Reason::kNotFound) || adopted.is(Reason::kConflict)) return api::ObjectPtr();
  return adopted;
}

Result<void> Claimer::release(const Owner& owner, const api::Object& object) {
  const std::string patch = "{\"metadata\":{\"ownerReferences\":[{\"$patch\":\"delete\",\"uid\":" +
                            claim::quoted(owner.object.metadata().uid) +
                            "}],\"uid\":" + claim::quoted(object.metadata().uid) + "}}";
  const Result<api::ObjectPtr> released =
      client_.patch(place_of(resource_, client::Key::of(object)), api::PatchType::kStrategic,
                    json::parse_literal(patch), {});
  // It is gone, or nobody's any more.
  if (released || released.is(Reason::kNotFound) || released.is(Reason::kInvalid)) return {};
  return released.status();
}

}  // namespace proa::controllers
