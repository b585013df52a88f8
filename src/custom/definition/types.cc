#include "custom/definition/types.h"

#include <new>
#include <string>

#include "api/schema/builtin.h"
#include "api/schema/type_builder.h"
#include "base/check.h"

namespace proa::custom {
namespace types {

const api::Type& builtin(std::string_view openapi) {
  const api::Type* found = api::builtin_schema().find_openapi(openapi);
  CHECK(found != nullptr);
  return *found;
}

// An open type with kind, apiVersion and metadata. All custom types share its fields.
const api::Type& plain_object() {
  static json::Arena arena;
  static const api::Type* const made = [] {
    auto* type = new (arena.allocate(sizeof(api::Type), alignof(api::Type))) api::Type;
    api::TypeBuilder builder(arena);
    builder.add({.name = "kind", .type = api::scalar_type("string")});
    builder.add({.name = "apiVersion", .type = api::scalar_type("string")});
    builder.add(
        {.name = "metadata", .type = &builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")});
    CHECK(builder.finish(*type).ok());
    type->is_kind = true;
    type->open = true;
    type->has_proto = false;
    return type;
  }();
  return *made;
}

// "example.com/v1": "com.example.v1."
std::string package_of(std::string_view group_version) {
  const size_t slash = group_version.find('/');
  std::string_view group = group_version.substr(0, slash);
  std::string package;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    package.append(dot == std::string_view::npos ? group : group.substr(dot + 1)).append(".");
    group = dot == std::string_view::npos ? std::string_view() : group.substr(0, dot);
  }
  return package.append(group_version.substr(slash + 1)).append(".");
}

api::Type& add(json::Arena& arena, const api::Type& like) {
  return *new (arena.allocate(sizeof(api::Type), alignof(api::Type))) api::Type(like);
}

}  // namespace types

CustomTypes make_types(json::Arena& arena, const TypeNames& names) {
  const std::string_view group_version = arena.copy(names.group_version);
  const std::string package = types::package_of(group_version);
  api::Type& type = types::add(arena, types::plain_object());
  type.name = arena.copy(names.kind);
  type.openapi = arena.copy(package + std::string(names.kind));
  type.group_version = group_version;
  api::Type& list = types::add(arena, {});
  api::TypeBuilder builder(arena);
  builder.add({.name = "kind", .type = api::scalar_type("string")});
  builder.add({.name = "apiVersion", .type = api::scalar_type("string")});
  builder.add({.name = "metadata",
               .type = &types::builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")});
  builder.add({.name = "items",
               .type = &type,
               .shape = api::Shape::kList,
               .omit = api::Omit::kNever,
               .required = true},
              "The objects.");
  CHECK(builder.finish(list).ok());
  list.name = arena.copy(names.list_kind);
  list.openapi = arena.copy(package + std::string(names.list_kind));
  list.description = arena.copy("A list of objects of the kind " + std::string(names.kind) + ".");
  list.group_version = group_version;
  list.is_kind = true;
  list.has_proto = false;
  return {&type, &list};
}

}  // namespace proa::custom
