#include "apiserver/access/admission/policies/params.h"

#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace policy_params {

constexpr std::string_view kDefinitions =
    "/registry/apiextensions.k8s.io/customresourcedefinitions/";

Status failure(std::string why) { return {Reason::kInvalid, std::move(why)}; }

// A policy is evaluated once, without parameters.
std::vector<Param> none() {
  std::vector<Param> params;
  params.emplace_back();
  return params;
}

}  // namespace policy_params

PolicyParams::PolicyParams(store::Store& store, const api::Schema& builtin)
    : store_(store),
      builtin_(builtin),
      follower_(store, {std::string(policy_params::kDefinitions)},
                [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); }) {
}

void PolicyParams::take(std::string_view key, const api::ObjectPtr& object) {
  definitions_.erase(std::string(key));
  if (object == nullptr) return;
  // One that cannot be read has no resources, and the server says so.
  Result<custom::DefinitionPtr> made = custom::Definition::make(object);
  if (made) definitions_.emplace(key, std::move(*made));
}

Result<ResourcePtr> PolicyParams::find_kind(const ParamKind& kind) {
  if (const api::Type* type = builtin_.find_kind(kind.api_version, kind.kind)) {
    const api::Resource* resource = builtin_.find_resource_of(*type);
    if (resource != nullptr && !resource->key_prefix.empty()) return ResourcePtr(resource);
  }
  const auto halves = split_once(kind.api_version, '/');
  const std::string_view group = halves ? halves->before : std::string_view();
  const std::string_view version = halves ? halves->after : kind.api_version;
  ResourcePtr found = follower_.read([&]() -> ResourcePtr {
    for (const auto& [key, definition] : definitions_) {
      if (definition->group() != group || definition->kind() != kind.kind) continue;
      for (const custom::CustomResource* resource : definition->resources()) {
        if (resource->version == version) return {resource, definition};
      }
    }
    return nullptr;
  });
  if (found == nullptr) {
    return policy_params::failure("failed to find resource referenced by paramKind: '" +
                                  std::string(group) + "/" + std::string(version) +
                                  ", Kind=" + kind.kind + "'");
  }
  return found;
}

Result<void> PolicyParams::add(const api::ObjectPtr& object, const api::Resource& resource,
                               std::vector<Param>& params, std::string_view key) const {
  json::Document document = TRY(read_as(*object, resource, Answers::kFresh));
  params.push_back({std::move(document), std::string(key)});
  return {};
}

Result<std::vector<Param>> PolicyParams::collect(const ResourcePtr& resource,
                                                 const PolicyBinding& binding,
                                                 std::string_view name_space) const {
  if (resource == nullptr || !binding.params()) return policy_params::none();
  const ParamReference& wanted = *binding.params();
  if (resource->namespaced) {
    if (!wanted.name_space.empty()) name_space = wanted.name_space;
    if (name_space.empty()) {
      return policy_params::failure(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!wanted.name_space.empty()) {
    return policy_params::failure(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  } else {
    name_space = {};
  }
  std::vector<Param> params;
  if (!wanted.name.empty()) {
    const std::string key = key_of(*resource, name_space, wanted.name);
    store::EntryPtr entry = TRY(store_.get(key));
    if (entry != nullptr) TRY(add(object_of(std::move(entry)), *resource, params, key));
  } else if (wanted.selector) {
    const std::string prefix = prefix_of(*resource, name_space);
    const store::RangeResult range = TRY(store_.range({.keys = store::KeyRange::prefix(prefix)}));
    for (const store::EntryPtr& entry : range.entries) {
      const api::ObjectPtr object = object_of(entry);
      if (!wanted.selector->matches(object->metadata().labels)) continue;
      TRY(add(object, *resource, params, entry->key()));
    }
  } else {
    return policy_params::failure("one of name or selector must be provided");
  }
  if (params.empty() && wanted.denies_if_absent) {
    return policy_params::failure(
        "no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

}  // namespace proa::apiserver
