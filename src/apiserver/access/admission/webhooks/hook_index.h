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
  // `resource`: "mutatingwebhookconfigurations". The other arguments outlive it.
  HookIndex(store::Store& store, const api::Schema& schema, const Clock& clock,
            std::string_view resource);

  // Some of all webhooks, in upstream's order: by the names of configurations.
  struct Hooks {
    std::shared_ptr<const std::vector<AdmissionHookPtr>> all;
    std::vector<uint32_t> places;  // in `all`

    const AdmissionHook& at(uint32_t place) const { return *(*all)[place]; }
  };
  // Those that may be about the resource.
  Hooks find(std::string_view resource);
  bool has(std::string_view resource);

 private:
  void take(std::string_view key, const api::ObjectPtr& object);
  // Once after all changes: all writes wait for it.
  void arrange();

  const std::string prefix_;
  const Clock& clock_;
  cel::AdmissionCompiler compiler_{false, cel::AdmissionCompiler::Composes::kNo};
  // All belong to the follower's lock. By the name of the configuration.
  std::map<std::string, std::vector<AdmissionHookPtr>, std::less<>> configurations_;
  // Made anew when something changes: readers share it.
  std::shared_ptr<const std::vector<AdmissionHookPtr>> all_;
  ResourceIndex by_resource_;
  Follower follower_;
};

}  // namespace proa::apiserver
