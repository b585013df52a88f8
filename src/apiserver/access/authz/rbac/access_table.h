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

// A name of a Role ("Role", its namespace, its name) or a ClusterRole (which has no namespace).
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

    // The name of the user or group that is meant; empty: nobody.
    std::string who() const;
  };

  std::string name;
  std::string name_space;
  RoleName role;
  std::vector<Subject> subjects;
  // `RoleBinding "a/default" of Role "b" to `: what descriptions begin with.
  std::string opening;

  static RoleBinding read(std::string_view name_space, std::string_view name, api::View object);
  // `RoleBinding "a/default" of Role "b" to User "c"`, in upstream's words.
  std::string describe(const Subject& subject) const;
};

// Who holds which roles: found by whom it is about, so that it does not matter how many others
// hold something. For one thread at a time; readers may be many.
class AccessTable {
 public:
  // A role that somebody holds.
  struct Grant {
    const RoleBinding& binding;
    const RoleBinding::Subject& subject;
    const RolePtr& role;  // null: there is no such role
  };

  // A null role is gone.
  void set_role(const RoleName& name, RolePtr role);
  void set_binding(RoleBinding binding);
  void remove_binding(std::string_view name_space, std::string_view name);

  // Null when there is none.
  RolePtr role(const RoleName& name) const;
  // Calls `visit` with the grants for the whole cluster, then with those for the namespace, if that
  // is not empty, until it returns false. What is bound to a user and to a group of his comes
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

  // There as long as the role is there, or a binding that names it.
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
  using Links = std::vector<Link>;  // by the names of the bindings
  using Holder = ByText<Links>;     // by namespace; the empty one: everywhere

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
