#include "cel/check/unifier.h"

#include <string>

namespace proa::cel {
namespace unifier {

bool is_open(const Type& type) { return is_dynamic(type) || type.is(TypeKind::kParameter); }

// Kinds that null may stand for.
bool is_nullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return false;
  }
}

bool less_or_equally_specific(const Type& a, const Type& b) {
  if (is_open(a)) return true;
  if (is_open(b) || a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
    case TypeKind::kType:
      return true;
    default:
      return same_type(a, b);
  }
  if (a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!less_or_equally_specific(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

}  // namespace unifier

const Type* Unifier::new_variable() {
  const auto number = static_cast<uint32_t>(bindings_.size());
  bindings_.push_back(nullptr);
  return types_.parameter("_var" + std::to_string(number), number);
}

const Type* Unifier::instantiate(const Type* type, std::span<const Type* const> variables) {
  if (type->is(TypeKind::kParameter)) return variables[type->parameter];
  if (type->parameters.empty() || variables.empty()) return type;
  std::vector<const Type*> parameters;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(instantiate(parameter, variables));
  }
  return types_.with(type->kind, type->name, parameters);
}

bool Unifier::assignable(const Type* to, const Type* from) {
  return assignable(std::span(&to, 1), std::span(&from, 1));
}

bool Unifier::assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  const size_t before = trail_.size();
  if (agree(to, from)) return true;
  undo(before);
  return false;
}

void Unifier::bind(const Type* variable, const Type* type) {
  trail_.push_back({.variable = variable->parameter, .before = bound(variable)});
  bindings_[variable->parameter] = type;
}

void Unifier::undo(size_t changes) {
  for (; trail_.size() > changes; trail_.pop_back()) {
    bindings_[trail_.back().variable] = trail_.back().before;
  }
}

bool Unifier::agree(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  for (size_t i = 0; i < to.size(); ++i) {
    if (!agree(to[i], from[i])) return false;
  }
  return true;
}

bool Unifier::agree(const Type* to, const Type* from) {
  if (from->is(TypeKind::kParameter)) {
    const Answer answer = stands_for(from, to);
    if (answer != Answer::kOpen) return answer == Answer::kYes;
  }
  if (to->is(TypeKind::kParameter)) return stands_for(to, from) == Answer::kYes;
  if (is_dynamic(*to) || is_dynamic(*from) || to->is(TypeKind::kError) ||
      from->is(TypeKind::kError)) {
    return true;
  }
  if (to->is(TypeKind::kNull)) return unifier::is_nullable(*from);
  if (from->is(TypeKind::kNull)) return unifier::is_nullable(*to);
  if (to->kind != from->kind) return false;
  switch (to->kind) {
    case TypeKind::kType:
      return true;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return to->name == from->name && agree(to->parameters, from->parameters);
    default:
      return same_type(*to, *from);
  }
}

// kOpen: the variable may not be bound to the type, but has no binding that says no.
Unifier::Answer Unifier::stands_for(const Type* variable, const Type* type) {
  if (same_type(*variable, *type)) return Answer::kYes;
  if (const Type* known = bound(variable)) {
    if (same_type(*type, *known)) return Answer::kYes;
    if (!agree(type, known)) return Answer::kNo;
    const Type* general = most_general(type, known);
    if (!occurs(variable, general)) bind(variable, general);
    return Answer::kYes;
  }
  if (occurs(variable, type)) return Answer::kOpen;
  bind(variable, type);
  return Answer::kYes;
}

bool Unifier::occurs(const Type* variable, const Type* within) const {
  if (same_type(*variable, *within)) return true;
  if (within->is(TypeKind::kParameter)) {
    const Type* known = bound(within);
    return known != nullptr && occurs(variable, known);
  }
  for (const Type* parameter : within->parameters) {
    if (occurs(variable, parameter)) return true;
  }
  return false;
}

const Type* Unifier::substitute(const Type* type, bool closed) {
  if (type->is(TypeKind::kParameter)) {
    if (const Type* known = bound(type)) return substitute(known, closed);
    return closed ? &types::kDyn : type;
  }
  bool changed = false;
  std::vector<const Type*> parameters;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(substitute(parameter, closed));
    changed = changed || parameters.back() != parameter;
  }
  return changed ? types_.with(type->kind, type->name, parameters) : type;
}

const Type* Unifier::most_general(const Type* a, const Type* b) {
  return unifier::less_or_equally_specific(*a, *b) ? a : b;
}

}  // namespace proa::cel
