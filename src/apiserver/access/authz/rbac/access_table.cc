#include "apiserver/access/authz/rbac/access_table.h"

#include <algorithm>

#include "api/validation/go_text.h"

namespace proa::apiserver {
namespace access_table {

std::string joined(std::string_view first, std::string_view second) {
  std::string text(first);
  text += '/';
  text += second;
  return text;
}

}  // namespace access_table

std::string RoleBinding::Subject::who() const {
  if (kind == "User" || kind == "Group") return name;
  if (kind != "ServiceAccount" || name_space.empty()) return {};
  return "system:serviceaccount:" + name_space + ":" + name;
}

RoleBinding RoleBinding::read(std::string_view name_space, std::string_view name,
                              api::View object) {
  RoleBinding binding;
  binding.name = name;
  binding.name_space = name_space;
  binding.role.kind = object["roleRef"]["kind"].text();
  binding.role.name = object["roleRef"]["name"].text();
  if (binding.role.kind != "ClusterRole") binding.role.name_space = binding.name_space;
  for (const api::View item : object["subjects"].items()) {
    Subject& subject = binding.subjects.emplace_back();
    subject.kind = item["kind"].text();
    subject.name = item["name"].text();
    if (subject.kind != "ServiceAccount") continue;
    // The namespace defaults to the binding's.
    subject.name_space = item["namespace"].text();
    if (subject.name_space.empty()) subject.name_space = binding.name_space;
  }
  binding.opening = name_space.empty()
                        ? "ClusterRoleBinding " + api::quoted(name)
                        : "RoleBinding " + api::quoted(access_table::joined(name, name_space));
  binding.opening += " of " + binding.role.kind + " " + api::quoted(binding.role.name) + " to ";
  return binding;
}

std::string RoleBinding::describe(const Subject& subject) const {
  return opening + subject.kind + " " +
         api::quoted(subject.kind == "ServiceAccount"
                         ? access_table::joined(subject.name, subject.name_space)
                         : subject.name);
}

// The kind distinguishes a ClusterRole from a Role without a namespace.
std::string AccessTable::key_of(const RoleName& name) {
  return access_table::joined(access_table::joined(name.kind, name.name_space), name.name);
}

void AccessTable::set_role(const RoleName& name, RolePtr role) {
  const std::string key = key_of(name);
  Slot& slot = slots_[key];
  slot.role = std::move(role);
  if (slot.role == nullptr && slot.bindings == 0) slots_.erase(key);
}

void AccessTable::set_binding(RoleBinding binding) {
  remove_binding(binding.name_space, binding.name);
  std::string role_key = key_of(binding.role);
  Slot& slot = slots_[role_key];
  ++slot.bindings;
  std::string key = access_table::joined(binding.name_space, binding.name);
  const Bound& bound =
      bindings_.emplace(std::move(key), Bound{std::move(binding), std::move(role_key), &slot})
          .first->second;
  for (uint32_t i = 0; i < bound.binding.subjects.size(); ++i) link(bound, i);
}

void AccessTable::remove_binding(std::string_view name_space, std::string_view name) {
  const auto found = bindings_.find(access_table::joined(name_space, name));
  if (found == bindings_.end()) return;
  const Bound& bound = found->second;
  for (uint32_t i = 0; i < bound.binding.subjects.size(); ++i) unlink(bound, i);
  const auto slot = slots_.find(bound.role_key);
  if (--slot->second.bindings == 0 && slot->second.role == nullptr) slots_.erase(slot);
  bindings_.erase(found);
}

RolePtr AccessTable::role(const RoleName& name) const {
  const auto slot = slots_.find(key_of(name));
  return slot == slots_.end() ? nullptr : slot->second.role;
}

const AccessTable::Links* AccessTable::links_of(const ByText<Holder>& holders, std::string_view who,
                                                std::string_view name_space) {
  const auto holder = holders.find(who);
  if (holder == holders.end()) return nullptr;
  const auto links = holder->second.find(name_space);
  return links == holder->second.end() ? nullptr : &links->second;
}

AccessTable::ByText<AccessTable::Holder>& AccessTable::holders_of(
    const RoleBinding::Subject& subject) {
  return subject.kind == "Group" ? groups_ : users_;
}

void AccessTable::link(const Bound& bound, uint32_t index) {
  const RoleBinding::Subject& subject = bound.binding.subjects[index];
  const std::string who = subject.who();
  if (who.empty()) return;
  Links& links = holders_of(subject)[who][bound.binding.name_space];
  const auto place = std::lower_bound(
      links.begin(), links.end(), bound.binding.name,
      [](const Link& a, const std::string& b) { return a.bound->binding.name < b; });
  // The subject is listed twice.
  if (place != links.end() && place->bound == &bound) return;
  links.insert(place, {&bound, index});
}

void AccessTable::unlink(const Bound& bound, uint32_t index) {
  const RoleBinding::Subject& subject = bound.binding.subjects[index];
  ByText<Holder>& holders = holders_of(subject);
  const auto holder = holders.find(subject.who());
  if (holder == holders.end()) return;
  const auto links = holder->second.find(bound.binding.name_space);
  if (links == holder->second.end()) return;
  std::erase_if(links->second, [&bound](const Link& link) { return link.bound == &bound; });
  if (links->second.empty()) holder->second.erase(links);
  if (holder->second.empty()) holders.erase(holder);
}

}  // namespace proa::apiserver
