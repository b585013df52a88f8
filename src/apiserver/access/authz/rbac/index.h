#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authz/rbac/access_table.h"
#include "apiserver/objects/follower.h"
#include "store/store.h"

namespace proa::apiserver {

// Roles that somebody holds, and why there may be more.
struct HeldRoles {
  std::vector<RolePtr> roles;  // one for each binding, the cluster's first, by their names
  std::vector<const PolicyRule*> rules() const;
  // Roles that are bound to him and do not exist.
  std::vector<RoleName> missing;
};

// The roles and bindings in the store: who may do what. Always current. From any thread.
class RbacIndex {
 public:
  // REQUIRES: the store outlives it.
  RbacIndex(store::Store& store, const api::Schema& schema);

  // Calls `use` with the AccessTable, which stands still meanwhile. It must not block.
  template <typename Use>
  auto read(Use use) {
    return follower_.read([&] { return use(static_cast<const AccessTable&>(table_)); });
  }

  HeldRoles held_by(const User& user, std::string_view name_space);

 private:
  struct Prefixes {
    std::string roles, cluster_roles, bindings, cluster_bindings;
  };
  static Prefixes prefixes_of(const store::Store& store, const api::Schema& schema);
  void changed(std::string_view key, const api::ObjectPtr& object);
  void role_changed(RoleName name, const api::ObjectPtr& object);
  void binding_changed(std::string_view name_space, std::string_view name,
                       const api::ObjectPtr& object);

  const Prefixes prefixes_;
  AccessTable table_;
  Follower follower_;
};

// `role.rbac.authorization.k8s.io "x" not found`, with another word for the resource: what stands
// where a role could not be found; several of them once each, in brackets.
enum class MissingWords : uint8_t { kSingular, kPlural };
std::string describe_missing(const std::vector<RoleName>& missing, MissingWords words);

}  // namespace proa::apiserver
