#pragma once

#include <string_view>

#include "api/schema/schema.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/node/graph.h"
#include "apiserver/objects/follower.h"
#include "apiserver/objects/reader.h"
#include "store/store.h"

namespace proa::apiserver {

// Authorizes kubelets: access to their own Node, its lease and similar objects, to the pods on it,
// and to the objects that these pods reference. Never denies; other authorizers may still allow.
// Writes that it allows without knowing the object are restricted further by NodeRestriction
// (admission).
class NodeAuthorizer final : public Authorizer {
 public:
  // REQUIRES: both outlive it.
  NodeAuthorizer(store::Store& store, const api::Schema& schema);

  // Reads the store so that the first request does not wait.
  void prepare();

  Verdict authorize(const Attributes& attributes) override;
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;

 private:
  struct Prefixes {
    explicit Prefixes(const ObjectReader& reader);
    std::string pods;
    std::string volumes;
    std::string attachments;
    std::string slices;
  };

  void changed(std::string_view key, const api::ObjectPtr& object);
  void pod_changed(std::string_view key, const api::ObjectPtr& object);

  const Prefixes prefixes_;
  NodeGraph graph_;  // accessed only through the follower
  Follower follower_;
};

}  // namespace proa::apiserver
