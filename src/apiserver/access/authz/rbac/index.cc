#include "apiserver/access/authz/rbac/index.h"

#include <map>
#include <set>
#include <utility>

#include "api/validation/go_text.h"
#include "apiserver/objects/reader.h"
#include "base/log.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace rbac_index {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
const Log kLog{"apiserver"};

struct Place {
  std::string name_space;
  std::string name;
};

// Splits the rest of a key, "default/web" or "web".
Place place_of(std::string_view rest) {
  const auto halves = split_once(rest, '/');
  if (!halves) return {"", std::string(rest)};
  return {std::string(halves->before), std::string(halves->after)};
}

std::string describe(const RoleName& role, MissingWords words) {
  if (role.kind != "Role" && role.kind != "ClusterRole") {
    return "unsupported role reference kind: " + api::quoted(role.kind);
  }
  std::string text = to_lower(role.kind);
  if (words == MissingWords::kPlural) text += 's';
  return text.append(".").append(kGroup) + " " + api::quoted(role.name) + " not found";
}

}  // namespace rbac_index

std::vector<const PolicyRule*> HeldRoles::rules() const {
  std::vector<const PolicyRule*> rules;
  for (const RolePtr& role : roles) {
    for (const PolicyRule& rule : role->rules()) rules.push_back(&rule);
  }
  return rules;
}

RbacIndex::RbacIndex(store::Store& store, const api::Schema& schema)
    : prefixes_(prefixes_of(store, schema)),
      follower_(
          store,
          {prefixes_.cluster_roles, prefixes_.roles, prefixes_.cluster_bindings,
           prefixes_.bindings},
          [this](std::string_view key, const api::ObjectPtr& object) { changed(key, object); }) {}

RbacIndex::Prefixes RbacIndex::prefixes_of(const store::Store& store, const api::Schema& schema) {
  const ObjectReader reader(store, schema);
  const auto prefix = [&reader](std::string_view resource) {
    return reader.prefix(rbac_index::kGroup, resource);
  };
  return {.roles = prefix("roles"),
          .cluster_roles = prefix("clusterroles"),
          .bindings = prefix("rolebindings"),
          .cluster_bindings = prefix("clusterrolebindings")};
}

void RbacIndex::changed(std::string_view key, const api::ObjectPtr& object) {
  const auto place = [key](const std::string& prefix) {
    return rbac_index::place_of(key.substr(prefix.size()));
  };
  if (key.starts_with(prefixes_.roles)) {
    rbac_index::Place role = place(prefixes_.roles);
    role_changed({"Role", std::move(role.name_space), std::move(role.name)}, object);
  } else if (key.starts_with(prefixes_.cluster_roles)) {
    role_changed({"ClusterRole", "", place(prefixes_.cluster_roles).name}, object);
  } else if (key.starts_with(prefixes_.bindings)) {
    const rbac_index::Place binding = place(prefixes_.bindings);
    binding_changed(binding.name_space, binding.name, object);
  } else {
    binding_changed("", place(prefixes_.cluster_bindings).name, object);
  }
}

void RbacIndex::role_changed(RoleName name, const api::ObjectPtr& object) {
  RolePtr role;
  if (object != nullptr) {
    const Result<json::Document> document = object->document();
    if (document.ok()) {
      role = std::make_shared<const CompiledRole>(
          kinds::read_rules(api::View(document->root())["rules"]));
    } else {
      rbac_index::kLog.error("invalid role ignored",
                             {{"role", name.name}, {"error", document.status()}});
    }
  }
  table_.set_role(name, std::move(role));
}

void RbacIndex::binding_changed(std::string_view name_space, std::string_view name,
                                const api::ObjectPtr& object) {
  table_.remove_binding(name_space, name);
  if (object == nullptr) return;
  const Result<json::Document> document = object->document();
  if (document.ok()) {
    table_.set_binding(RoleBinding::read(name_space, name, document->root()));
  } else {
    rbac_index::kLog.error("invalid binding ignored",
                           {{"binding", name}, {"error", document.status()}});
  }
}

HeldRoles RbacIndex::held_by(const User& user, std::string_view name_space) {
  return read([&](const AccessTable& table) {
    // By namespace and name: a binding to both a user and its group counts once.
    std::map<std::pair<std::string_view, std::string_view>, AccessTable::Grant> grants;
    table.each_grant(user, name_space, [&](const AccessTable::Grant& grant) {
      grants.try_emplace({grant.binding.name_space, grant.binding.name}, grant);
      return true;
    });
    HeldRoles held;
    for (const auto& [binding, grant] : grants) {
      if (grant.role != nullptr) {
        held.roles.push_back(grant.role);
      } else {
        held.missing.push_back(grant.binding.role);
      }
    }
    return held;
  });
}

std::string describe_missing(const std::vector<RoleName>& missing, MissingWords words) {
  std::set<std::string> seen;
  std::vector<std::string> texts;
  for (const RoleName& role : missing) {
    std::string text = rbac_index::describe(role, words);
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  return "[" + join(texts, ", ") + "]";
}

}  // namespace proa::apiserver
