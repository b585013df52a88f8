#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/types/type.h"

namespace proa::cel {

// Finds out what type variables stand for. Follows cel-go's checker in what is assignable to what:
// dyn and errors to everything, null to what it may stand for, numbers to their own kind only.
class Unifier {
 public:
  explicit Unifier(TypeArena& types) : types_(types) {}

  const Type* new_variable();
  // The same types with new variables in place of the parameters 'A', 'B', ...
  const Type* instantiate(const Type* type, std::span<const Type* const> variables);

  // Whether the types agree. Learns what variables stand for if they do, and nothing otherwise.
  bool assignable(const Type* to, const Type* from);
  bool assignable(std::span<const Type* const> to, std::span<const Type* const> from);

  // The type with variables replaced by what they stand for; `closed`: free ones by dyn.
  const Type* substitute(const Type* type, bool closed);

  // The less specific one of two that agree.
  static const Type* most_general(const Type* a, const Type* b);

 private:
  struct Change {
    uint32_t variable;
    const Type* before;
  };

  const Type* bound(const Type* variable) const { return bindings_[variable->parameter]; }
  void bind(const Type* variable, const Type* type);
  void undo(size_t changes);
  bool agree(const Type* to, const Type* from);
  bool agree(std::span<const Type* const> to, std::span<const Type* const> from);
  enum class Answer : uint8_t { kYes, kNo, kOpen };
  Answer stands_for(const Type* variable, const Type* type);
  bool occurs(const Type* variable, const Type* within) const;

  TypeArena& types_;
  std::vector<const Type*> bindings_;
  std::vector<Change> trail_;
};

}  // namespace proa::cel
