#include "cel/types/environment.h"

#include "cel/types/shape.h"

namespace proa::cel {

bool Environment::add_variable(std::string_view name, std::string_view type) {
  const Type* parsed = types_->parse(type);
  if (parsed == nullptr) return false;
  for (const Variable& variable : variables_) {
    if (variable.name == name) return false;
  }
  variables_.push_back({.name = std::string(name), .type = parsed});
  return true;
}

bool Environment::add_variable(std::string_view name, const Shape& shape, bool optional) {
  if (shape.type == nullptr) return false;
  for (const Variable& variable : variables_) {
    if (variable.name == name) return false;
  }
  const Type* type = optional ? types_->optional(shape.type) : shape.type;
  variables_.push_back({.name = std::string(name), .type = type});
  return true;
}

bool Environment::add_struct(std::string_view name, std::span<const Field> fields) {
  if (structs_.contains(name)) return false;
  types_->declare_struct(name);
  Fields parsed;
  for (const Field& field : fields) {
    const Type* type = types_->parse(field.type);
    if (type == nullptr) return false;
    parsed.emplace(field.name, type);
  }
  structs_.emplace(name, std::move(parsed));
  return true;
}

bool Environment::set_field(std::string_view structure, const Field& field) {
  const auto fields = structs_.find(structure);
  const Type* type = types_->parse(field.type);
  if (fields == structs_.end() || type == nullptr) return false;
  fields->second.insert_or_assign(std::string(field.name), type);
  return true;
}

bool Environment::is_free(std::string_view structure) const {
  if (free_struct_.empty() || !structure.starts_with(free_struct_)) return false;
  return structure.size() == free_struct_.size() || structure[free_struct_.size()] == '.';
}

bool Environment::can_make(std::string_view structure) const {
  return is_free(structure) || made_.contains(structure);
}

const Type* Environment::field(const Type& type, std::string_view name) const {
  if (type.shape != nullptr) {
    const ShapeField* field = type.shape->escaped_field(name);
    // Words of the language are names of fields, too: self.for is self.__for__.
    constexpr int kSince = 31;
    if (field == nullptr && minor_version_ >= kSince) {
      field = type.shape->escaped_field("__" + std::string(name) + "__");
      if (field != nullptr && field->name != name) field = nullptr;
    }
    return field == nullptr ? nullptr : field->shape->type;
  }
  if (is_free(type.name)) return &types::kDyn;
  const auto fields = structs_.find(type.name);
  if (fields == structs_.end()) return nullptr;
  const auto found = fields->second.find(name);
  return found == fields->second.end() ? nullptr : found->second;
}

}  // namespace proa::cel
