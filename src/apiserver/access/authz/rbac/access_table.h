#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/object/view.h"
#include "apiserver/access/authz/rbac/compiled_role.h"
#include "apiserver/request/request.h"

namespace proa::apiserver {

// Identifies a Role or, without a namespace, a ClusterRole.
struct RoleName {
  std::string kind;
  std::string name_space;
  std::string name;
};

// A RoleBinding, or, without a namespace, a ClusterRoleBinding.
struct RoleBinding {
  struct Subject {
    std::string kind;
    std::string name;
    std::string name_space;  // of a service account

    // The user or group name; empty if the subject is invalid.
    std::string who() const;
  };

  std::string name;
  std::string name_space;
  RoleName role;
  std::vector<Subject> subjects;
  // Prefix of describe(): `RoleBinding "a/default" of Role "b" to `.
  std::string opening;

  static RoleBinding read(std::string_view name_space, std::string_view name, api::View object);
  // `RoleBinding "a/default" of Role "b" to User "c"`, as upstream.
  std::string describe(const Subject& subject) const;
};

// Roles by subject, so that a lookup does not depend on the number of other subjects. Concurrent
// reads are safe; writes need exclusive access.
class AccessTable {
 public:
  // A role bound to a subject.
  struct Grant {
    const RoleBinding& binding;
    const RoleBinding::Subject& subject;
    const RolePtr& role;  // null: the role does not exist
  };

  // A null role removes it.
  void set_role(const RoleName& name, RolePtr role);
  void set_binding(RoleBinding binding);
  void remove_binding(std::string_view name_space, std::string_view name);

  // Null if there is none.
  RolePtr role(const RoleName& name) const;
  // Calls `visit` with the cluster-wide grants, then with those of the namespace unless that is
  // empty, until it returns false. A role bound to both a user and one of its groups is visited
  // twice.
  template <typename Visit>
  void each_grant(const User& user, std::string_view name_space, Visit visit) const;

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  template <typename Value>
  using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

  // Exists as long as the role or a binding that references it.
  struct Slot {
    RolePtr role;
    size_t bindings = 0;
  };
  struct Bound {
    RoleBinding binding;
    std::string role_key;
    const Slot* slot;
  };
  struct Link {
    const Bound* bound;
    uint32_t subject;
  };
  using Links = std::vector<Link>;  // sorted by binding name
  using Holder = ByText<Links>;     // by namespace; "": cluster-wide

  static std::string key_of(const RoleName& name);
  static const Links* links_of(const ByText<Holder>& holders, std::string_view who,
                               std::string_view name_space);
  ByText<Holder>& holders_of(const RoleBinding::Subject& subject);
  void link(const Bound& bound, uint32_t index);
  void unlink(const Bound& bound, uint32_t index);

  ByText<Slot> slots_;
  ByText<Bound> bindings_;
  ByText<Holder> users_;
  ByText<Holder> groups_;
};

template <typename Visit>
void AccessTable::each_grant(const User& user, std::string_view name_space, Visit visit) const {
  const auto each_link = [&visit](const Links* links) {
    if (links == nullptr) return true;
    for (const Link& link : *links) {
      const RoleBinding& binding = link.bound->binding;
      if (!visit(Grant{binding, binding.subjects[link.subject], link.bound->slot->role})) {
        return false;
      }
    }
    return true;
  };
  const auto each_of = [&](std::string_view place) {
    if (!each_link(links_of(users_, user.name, place))) return false;
    for (const std::string& group : user.groups) {
      if (!each_link(links_of(groups_, group, place))) return false;
    }
    return true;
  };
  if (each_of("") && !name_space.empty()) each_of(name_space);
}

}  // namespace proa::apiserver
