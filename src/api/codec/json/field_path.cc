#include "api/codec/json/field_path.h"

#include <cctype>

namespace proa::api {
namespace field_path {

// The name of an embedded struct: that of its protobuf group, with one exception.
std::string struct_of(std::string_view group) {
  if (group == "handler") return "ProbeHandler";
  std::string name(group);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

// Adds "VolumeSource." if the field is in such a group; false if it is not in `wire`.
bool add_groups(const Wire& wire, size_t field, std::string& names) {
  for (const Wire::Entry& entry : wire.entries) {
    if (entry.group == nullptr) {
      if (entry.field == field) return true;
      continue;
    }
    const size_t size = names.size();
    names += struct_of(entry.group->group_name) + ".";
    if (add_groups(*entry.group, field, names)) return true;
    names.resize(size);
  }
  return false;
}

std::string embedded_name(const Type& owner, std::string_view name) {
  std::string names;
  const Field* field = owner.find(name);
  if (owner.is_kind && (name == "kind" || name == "apiVersion")) {
    names = "TypeMeta.";
  } else if (field != nullptr) {
    add_groups(owner.wire, owner.index_of(*field), names);
  }
  return names.append(name);
}

}  // namespace field_path

std::string FieldPath::go_path() const {
  std::string names;
  std::string_view innermost;
  for (const FieldPath* step = this; step != nullptr; step = step->parent) {
    if (step->owner == nullptr) continue;
    if (innermost.empty()) innermost = step->owner->name;
    names.insert(0, "." + field_path::embedded_name(*step->owner, step->name));
  }
  return std::string(innermost) + names;
}

}  // namespace proa::api
