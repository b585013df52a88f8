#include "apiserver/objects/catalogue/catalogue.h"

#include <algorithm>

#include "base/log.h"

namespace proa::apiserver {
namespace catalogue {

const Log kLog{"catalogue"};
constexpr std::string_view kPrefix = "/registry/apiextensions.k8s.io/customresourcedefinitions/";

}  // namespace catalogue

Catalogue::Catalogue(store::Store& store, const api::Schema& builtin, std::function<void()> changed,
                     custom::Converter* converter)
    : builtin_(builtin),
      converter_(converter),
      follower_(
          store, {std::string(catalogue::kPrefix)},
          [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); },
          std::move(changed)) {}

void Catalogue::take(std::string_view key, const api::ObjectPtr& object) {
  ++changes_;
  key.remove_prefix(catalogue::kPrefix.size());
  const auto known = definitions_.find(key);
  const custom::Definition* before = known == definitions_.end() ? nullptr : known->second.get();
  custom::DefinitionPtr next;
  if (object != nullptr) {
    Result<custom::DefinitionPtr> made = custom::Definition::make(object, before);
    if (made) {
      next = std::move(*made);
      next->convert_by(converter_);
    } else {
      catalogue::kLog.error("definition cannot be served",
                            {{"name", key}, {"error", made.status()}});
    }
  }
  if (before != nullptr && (next == nullptr || !next->continues(*before))) before->replace();
  if (next != nullptr) {
    definitions_.insert_or_assign(std::string(key), std::move(next));
  } else if (known != definitions_.end()) {
    definitions_.erase(known);
  }
}

void Catalogue::catch_up() {
  follower_.read([] {});
}

custom::DefinitionPtr Catalogue::definition_of(std::string_view group, std::string_view name) {
  std::string key(name);
  key.append(".").append(group);
  return follower_.read([&]() -> custom::DefinitionPtr {
    const auto found = definitions_.find(key);
    return found == definitions_.end() ? nullptr : found->second;
  });
}

ResourcePtr Catalogue::find(std::string_view group, std::string_view version,
                            std::string_view name) {
  const api::Resource* builtin = builtin_.find_resource(group, version, name);
  if (builtin != nullptr || group.empty()) return builtin;
  const custom::DefinitionPtr definition = definition_of(group, name);
  if (definition == nullptr) return nullptr;
  const auto served = definition->resources();
  const auto found = std::ranges::find(served, version, &api::Resource::version);
  if (found == served.end()) return nullptr;
  return {*found, definition};
}

ResourcePtr Catalogue::find_stored(std::string_view group, std::string_view version,
                                   std::string_view name) {
  ResourcePtr served = find(group, version, name);
  if (served != nullptr || group.empty()) return served;
  const custom::DefinitionPtr definition = definition_of(group, name);
  if (definition == nullptr || !definition->is_served()) return nullptr;
  const custom::CustomResource* found = definition->find(version);
  if (found == nullptr || found != &definition->stored()) return nullptr;
  return {found, definition};
}

bool Catalogue::has_group(std::string_view group) {
  const auto is_it = [&](const api::Resource* each) { return each->group == group; };
  if (std::ranges::any_of(builtin_.resources(), is_it)) return true;
  return follower_.read([&] {
    return std::ranges::any_of(definitions_, [&](const auto& each) {
      return each.second->group() == group && !each.second->resources().empty();
    });
  });
}

ServedResourcesPtr Catalogue::served() {
  MutexLock lock(mutex_);
  ServedResourcesPtr before = served_;
  served_ = follower_.read([&]() -> ServedResourcesPtr {
    if (before != nullptr && before->number == changes_) return before;
    auto made = std::make_shared<ServedResources>();
    made->number = changes_;
    made->resources.assign(builtin_.resources().begin(), builtin_.resources().end());
    for (const auto& [name, definition] : definitions_) {
      const auto resources = definition->resources();
      if (resources.empty()) continue;
      made->definitions.push_back(definition);
      made->resources.insert(made->resources.end(), resources.begin(), resources.end());
    }
    return made;
  });
  return served_;
}

}  // namespace proa::apiserver
