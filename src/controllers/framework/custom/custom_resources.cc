#include "controllers/framework/custom/custom_resources.h"

#include <algorithm>

#include "base/log.h"

namespace proa::controllers {
namespace custom_resources {

const Log kLog{"controllers"};

std::string join(std::string_view name, std::string_view group) {
  std::string text(name);
  return text.append(".").append(group);
}

bool is_built_in(const api::Schema& schema, const custom::Definition& definition) {
  return std::ranges::any_of(schema.resources(), [&](const api::Resource* resource) {
    return resource->name == definition.plural() && resource->group == definition.group();
  });
}

}  // namespace custom_resources

CustomVersion readable_version(const custom::DefinitionPtr& definition) {
  const auto served = definition->resources();
  if (served.empty()) return {};
  const bool stored_is_served = std::ranges::find(served, &definition->stored()) != served.end();
  return {definition, stored_is_served ? &definition->stored() : served.front()};
}

CustomResources::CustomResources(client::Informer& definitions, const api::Schema& schema)
    : schema_(schema) {
  definitions.add_handler([this](const client::Change& change) {
    const custom::DefinitionPtr after = read(change.after);
    const custom::DefinitionPtr before = exchange(change.key.name, after);
    if (before == nullptr && after == nullptr) return;
    for (const Handler& handler : handlers_) handler(before, after);
  });
}

custom::DefinitionPtr CustomResources::read(const api::ObjectPtr& object) const {
  if (object == nullptr) return nullptr;
  Result<custom::DefinitionPtr> made = custom::Definition::make(object);
  if (!made) {
    custom_resources::kLog.warn("definition cannot be read",
                                {{"name", object->metadata().name}, {"why", made.status()}});
    return nullptr;
  }
  // As the server, which prefers what it has built in.
  if (!(*made)->is_served() || custom_resources::is_built_in(schema_, **made)) return nullptr;
  return *std::move(made);
}

custom::DefinitionPtr CustomResources::exchange(const std::string& name,
                                                const custom::DefinitionPtr& definition) {
  MutexLock lock(mutex_);
  custom::DefinitionPtr before;
  if (const auto found = definitions_.find(name); found != definitions_.end()) {
    before = found->second;
    definitions_.erase(found);
    // Another definition may have taken the name of the kind meanwhile.
    const auto kind = kinds_.find(custom_resources::join(before->kind(), before->group()));
    if (kind != kinds_.end() && kind->second == before) kinds_.erase(kind);
  }
  if (definition != nullptr) {
    definitions_[name] = definition;
    kinds_[custom_resources::join(definition->kind(), definition->group())] = definition;
  }
  return before;
}

std::vector<custom::DefinitionPtr> CustomResources::all() const {
  std::vector<custom::DefinitionPtr> definitions;
  MutexLock lock(mutex_);
  definitions.reserve(definitions_.size());
  for (const auto& [name, definition] : definitions_) definitions.push_back(definition);
  return definitions;
}

custom::DefinitionPtr CustomResources::find(std::string_view group, std::string_view plural) const {
  MutexLock lock(mutex_);
  const auto found = definitions_.find(custom_resources::join(plural, group));
  return found == definitions_.end() ? nullptr : found->second;
}

custom::DefinitionPtr CustomResources::find_kind_in(std::string_view group,
                                                    std::string_view kind) const {
  MutexLock lock(mutex_);
  const auto found = kinds_.find(custom_resources::join(kind, group));
  return found == kinds_.end() ? nullptr : found->second;
}

CustomVersion CustomResources::find_kind(std::string_view api_version,
                                         std::string_view kind) const {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {};
  for (CustomVersion& found : versions_of(api_version.substr(0, slash), kind)) {
    if (found.resource->version == api_version.substr(slash + 1)) return std::move(found);
  }
  return {};
}

std::vector<CustomVersion> CustomResources::versions_of(std::string_view group,
                                                        std::string_view kind) const {
  std::vector<CustomVersion> versions;
  const custom::DefinitionPtr definition = find_kind_in(group, kind);
  if (definition == nullptr) return versions;
  for (const custom::CustomResource* resource : definition->resources()) {
    versions.push_back({definition, resource});
  }
  return versions;
}

}  // namespace proa::controllers
