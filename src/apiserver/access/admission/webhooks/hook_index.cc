#include "apiserver/access/admission/webhooks/hook_index.h"

#include <algorithm>
#include <set>

#include "apiserver/objects/reader.h"

namespace proa::apiserver {
namespace hook_index {

bool is_about(const AdmissionHook& hook, std::string_view resource) {
  std::vector<std::string_view> resources;
  if (!hook.criteria.lists_resources(resources)) return true;
  return std::ranges::find(resources, resource) != resources.end();
}

}  // namespace hook_index

HookIndex::HookIndex(store::Store& store, const api::Schema& schema, std::string_view resource)
    : prefix_(ObjectReader(store, schema).prefix("admissionregistration.k8s.io", resource)),
      follower_(store, {prefix_},
                [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); }) {
}

void HookIndex::take(std::string_view key, const api::ObjectPtr& object) {
  key.remove_prefix(prefix_.size());
  if (object != nullptr) {
    configurations_.insert_or_assign(std::string(key), read_hooks(*object, compiler_));
  } else if (const auto known = configurations_.find(key); known != configurations_.end()) {
    configurations_.erase(known);
  }
  arrange();
}

// Configurations change rarely, and are few.
void HookIndex::arrange() {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, hooks] : configurations_) {
    for (const AdmissionHookPtr& hook : hooks) {
      std::vector<std::string_view> resources;
      hook->criteria.lists_resources(resources);
      names.insert(resources.begin(), resources.end());
    }
  }
  const auto select = [&](const auto& wanted) -> Hooks {
    std::vector<Placed> selected;
    size_t place = 0;
    for (const auto& [name, hooks] : configurations_) {
      for (const AdmissionHookPtr& hook : hooks) {
        if (wanted(*hook)) selected.push_back({hook, place});
        ++place;
      }
    }
    if (selected.empty()) return nullptr;
    return std::make_shared<const std::vector<Placed>>(std::move(selected));
  };
  by_resource_.clear();
  for (const std::string& name : names) {
    by_resource_[name] =
        select([&](const AdmissionHook& hook) { return hook_index::is_about(hook, name); });
  }
  of_any_ = select([](const AdmissionHook& hook) {
    std::vector<std::string_view> resources;
    return !hook.criteria.lists_resources(resources);
  });
}

HookIndex::Hooks HookIndex::find(std::string_view resource) {
  return follower_.read([&] {
    const auto found = by_resource_.find(resource);
    return found == by_resource_.end() ? of_any_ : found->second;
  });
}

}  // namespace proa::apiserver
