#include "apiserver/access/admission/webhooks/hook_index.h"

#include "apiserver/objects/reader.h"

namespace proa::apiserver {

HookIndex::HookIndex(store::Store& store, const api::Schema& schema, const Clock& clock,
                     std::string_view resource)
    : prefix_(ObjectReader(store, schema).prefix("admissionregistration.k8s.io", resource)),
      clock_(clock),
      follower_(
          store, {prefix_},
          [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); }, {},
          [this] { arrange(); }) {}

void HookIndex::take(std::string_view key, const api::ObjectPtr& object) {
  key.remove_prefix(prefix_.size());
  if (object != nullptr) {
    configurations_.insert_or_assign(std::string(key), read_hooks(*object, compiler_, clock_));
  } else if (const auto known = configurations_.find(key); known != configurations_.end()) {
    configurations_.erase(known);
  }
}

void HookIndex::arrange() {
  auto all = std::make_shared<std::vector<AdmissionHookPtr>>();
  by_resource_ = {};
  for (const auto& [name, hooks] : configurations_) {
    for (const AdmissionHookPtr& hook : hooks) {
      all->push_back(hook);
      by_resource_.add(hook->criteria);
    }
  }
  all_ = std::move(all);
}

HookIndex::Hooks HookIndex::find(std::string_view resource) {
  return follower_.read([&] { return Hooks{all_, by_resource_.find(resource)}; });
}

bool HookIndex::has(std::string_view resource) {
  return follower_.read([&] { return by_resource_.has(resource); });
}

}  // namespace proa::apiserver
