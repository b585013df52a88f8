#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authz/rbac/access_table.h"
#include "apiserver/objects/follower.h"
#include "store/store.h"

namespace proa::apiserver {

// The roles bound to a user.
struct HeldRoles {
  std::vector<RolePtr> roles;  // one per binding, cluster-wide ones first, by name
  std::vector<const PolicyRule*> rules() const;
  // Bound roles that do not exist.
  std::vector<RoleName> missing;
};

// Index of the roles and bindings in the store. Always current. Thread-safe.
class RbacIndex {
 public:
  // REQUIRES: the store outlives it.
  RbacIndex(store::Store& store, const api::Schema& schema);

  // Calls `use` with the AccessTable, which does not change meanwhile. `use` must not block.
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

// `role.rbac.authorization.k8s.io "x" not found`, with the resource in singular or plural; several
// roles are listed once each, in brackets.
enum class MissingWords : uint8_t { kSingular, kPlural };
std::string describe_missing(const std::vector<RoleName>& missing, MissingWords words);

}  // namespace proa::apiserver
