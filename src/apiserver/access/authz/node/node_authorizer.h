#pragma once

#include <string_view>

#include "api/schema/schema.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/node/graph.h"
#include "apiserver/objects/follower.h"
#include "apiserver/objects/reader.h"
#include "store/store.h"

namespace proa::apiserver {

// What kubelets may do: with their own Node, its lease and the like; with the pods on it; and with
// what these pods name. It never refuses: what it does not allow, others may. Of changes that it
// lets through without knowing the object, NodeRestriction (admission) looks at the rest.
class NodeAuthorizer final : public Authorizer {
 public:
  // Both outlive it.
  NodeAuthorizer(store::Store& store, const api::Schema& schema);

  // Reads what is in the store, so that the first one who asks does not wait for it.
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
  NodeGraph graph_;  // read and changed by way of the follower only
  Follower follower_;
};

}  // namespace proa::apiserver
