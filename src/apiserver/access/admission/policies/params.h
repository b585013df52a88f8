#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/admission/policies/policy.h"
#include "apiserver/objects/follower.h"
#include "apiserver/request/resource_ptr.h"
#include "custom/definition/definition.h"
#include "json/value.h"

namespace proa::apiserver {

// The object that a binding configures its policy with; none if the policy has no paramKind, or the
// binding does not refer to any.
struct Param {
  json::Document document;
  std::string key;  // of the object in the store

  api::View view() const { return key.empty() ? api::View() : api::View(document.root()); }
};

// Finds the parameters of policies: objects of built-in or custom resources. Current when read.
// Thread-safe.
class PolicyParams {
 public:
  // REQUIRES: both outlive it.
  PolicyParams(store::Store& store, const api::Schema& builtin);

  // The resource of a paramKind. Fails in upstream's words if there is none.
  Result<ResourcePtr> find_kind(const ParamKind& kind);
  // For a request in that namespace; empty: it is about the cluster. No params at all: the policy
  // is not evaluated. Fails in upstream's words if the binding cannot be applied. `resource`: of
  // the policy's paramKind; null if it has none.
  Result<std::vector<Param>> collect(const ResourcePtr& resource, const PolicyBinding& binding,
                                     std::string_view name_space) const;

 private:
  void take(std::string_view key, const api::ObjectPtr& object);
  Result<void> add(const api::ObjectPtr& object, const api::Resource& resource,
                   std::vector<Param>& params, std::string_view key) const;

  store::Store& store_;
  const api::Schema& builtin_;
  // By store key. Belongs to the follower's lock.
  std::map<std::string, custom::DefinitionPtr, std::less<>> definitions_;
  Follower follower_;
};

}  // namespace proa::apiserver
