#include "apiserver/resources/managed/managed.h"

#include <algorithm>

#include "api/codec/json/decode.h"
#include "api/validation/go_text.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/resources/managed/reset_fields.h"
#include "base/utf8.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"
#include "kinds/conversion.h"

namespace proa::apiserver {
namespace managed {

using api::View;
using json::Member;
using json::Value;

// Of a custom kind, with what its schema says. Its schema was made before, or the write had failed.
api::VersionedType type_of(const api::Resource& resource) {
  if (!resource.custom) return resource.type;
  const Result<const custom::Schema*> schema = custom::custom_resource(resource).schema();
  if (!schema) return resource.type;
  return {resource.type, &(*schema)->structure()};
}

// Another version of the same stored kind.
api::VersionedType find_version(const api::Schema& schema, const api::Resource& resource,
                                std::string_view api_version) {
  if (resource.custom) {
    const auto served = custom::custom_resource(resource).definition().resources();
    const auto found = std::ranges::find(served, api_version, &api::Resource::group_version);
    return found == served.end() ? api::VersionedType() : type_of(**found);
  }
  for (const api::Resource* other : schema.resources()) {
    if (other->stored == resource.stored && other->group_version() == api_version)
      return other->type;
  }
  return nullptr;
}

// What is merged is not decoded yet.
Result<json::Document> convert(const api::Schema& schema, const api::Resource& resource,
                               const Value& object, std::string_view api_version) {
  json::Arena arena;
  Value copy = object.copy(arena);
  json::Document document(std::move(arena), std::move(copy));
  if (resource.custom) return convert_custom(std::move(document), resource, api_version);
  const api::VersionedType stated =
      find_version(schema, resource, View(object)["apiVersion"].text());
  const api::Type& type = stated ? *stated : *resource.type;
  const api::Decoded decoded =
      TRY(api::decode_document(std::move(document), type, api::FieldValidation::kIgnore));
  return kinds::convert(decoded.document, type.group_version, api_version, type.name);
}

// Whether all members but one have the same values.
bool same_except(View one, View other, std::string_view except) {
  const auto covers = [&](View a, View b) {
    return std::ranges::all_of(a.members(), [&](const Member& member) {
      return member.key == except || View(member.value) == b[member.key];
    });
  };
  return covers(one, other) && covers(other, one);
}

bool same_except_times(View managers, View before) {
  if (managers.size() != before.size()) return false;
  for (size_t i = 0; i < managers.size(); ++i) {
    if (!same_except(managers.item(i), before.item(i), "time")) return false;
  }
  return true;
}

}  // namespace managed

api::ManagedKind managed_kind(const ApiContext& context, const Request& request) {
  const api::Resource& resource = *request.resource;
  const api::FieldSet reset = reset_fields(resource, request.subresource);
  return {.type = managed::type_of(resource),
          .subresource = request.subresource == nullptr ? "" : request.subresource->name,
          .find_type =
              [&](std::string_view version) {
                return managed::find_version(context.schema, resource, version);
              },
          .convert =
              [&](const json::Value& object, std::string_view version) {
                return managed::convert(context.schema, resource, object, version);
              },
          .reset_fields = [reset](std::string_view) { return reset; },
          .custom = resource.custom};
}

api::FieldWriter field_writer(const ApiContext& context, const WriteOptions& options) {
  const bool stated = !options.field_manager.empty();
  return {.manager = stated ? options.field_manager : options.default_manager,
          .now = context.clock.now()};
}

void track_managers(const ApiContext& context, const Request& request,
                    const api::FieldWriter& writer, const json::Value* live, api::Edit object) {
  const api::ManagedKind kind = managed_kind(context, request);
  if (live != nullptr) return api::track_update(kind, *live, object, writer);
  const json::Document nothing = api::empty_object(kind);
  api::track_update(kind, nothing.root(), object, writer);
}

// As upstream's IgnoreManagedFieldsTimestampsTransformer.
void keep_manager_times(api::Edit object, api::View old) {
  const api::View managers = object["metadata"]["managedFields"];
  const api::View before = old["metadata"]["managedFields"];
  if (managers == before || !managed::same_except_times(managers, before)) return;
  const bool same = managed::same_except(object["metadata"], old["metadata"], "managedFields") &&
                    managed::same_except(object.view(), old, "metadata");
  if (same) object.object("metadata").copy("managedFields", before);
}

bool drop_managers(api::Edit object) {
  if (!object["metadata"]["managedFields"].exists()) return false;
  object.object("metadata").remove("managedFields");
  return true;
}

// As upstream's prefixFromUserAgent.
std::string manager_of_agent(std::string_view user_agent) {
  constexpr size_t kMaxBytes = 128;
  const std::string_view prefix = user_agent.substr(0, user_agent.find('/'));
  std::string manager;
  for (size_t i = 0; i < prefix.size();) {
    const Utf8 next = decode_utf8(prefix.substr(i));
    i += next.size;
    if (!api::is_printable(next.code)) continue;
    std::string text;
    append_utf8(text, next.code);
    if (manager.size() + text.size() > kMaxBytes) break;
    manager += text;
  }
  return manager;
}

}  // namespace proa::apiserver
