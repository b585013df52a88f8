#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/matching/resource_index.h"
#include "apiserver/access/admission/webhooks/admission_hook.h"
#include "apiserver/objects/follower.h"

namespace proa::apiserver {

// All webhooks of one kind of configuration, current when read. Most requests concern none: those
// are found by the name of the resource. Thread-safe.
class HookIndex {
 public:
  // `resource`: "mutatingwebhookconfigurations".
  HookIndex(store::Store& store, const api::Schema& schema, std::string_view resource);

  struct Placed {
    AdmissionHookPtr hook;
    size_t place;  // among all, whatever resource they are about
  };
  // Those that may be about the resource, in upstream's order: by the names of configurations.
  using Hooks = std::vector<Placed>;
  Hooks find(std::string_view resource);
  bool has(std::string_view resource);

 private:
  void take(std::string_view key, const api::ObjectPtr& object);
  // Once after all changes: all writes wait for it.
  void arrange();

  const std::string prefix_;
  cel::AdmissionCompiler compiler_{false, cel::AdmissionCompiler::Composes::kNo};
  // All belong to the follower's lock. By the name of the configuration.
  std::map<std::string, std::vector<AdmissionHookPtr>, std::less<>> configurations_;
  std::vector<AdmissionHookPtr> hooks_;  // in upstream's order
  ResourceIndex by_resource_;            // its places are those of `hooks_`
  Follower follower_;
};

}  // namespace proa::apiserver
