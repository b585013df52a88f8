#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types/declarations.h"

namespace proa::cel {

// What expressions may use: the functions and syntax of a Kubernetes version, and variables.
class Environment {
 public:
  struct Variable {
    std::string name;
    const Type* type;
  };

  Environment(std::shared_ptr<const Declarations> declarations, int minor_version)
      : declarations_(std::move(declarations)), minor_version_(minor_version) {}

  // The type in the notation of print_type(). False if it is malformed, or the name is taken.
  // Values are given to an evaluation in the order of these calls.
  bool add_variable(std::string_view name, std::string_view type);

  // A value that a schema describes; `optional`: or none. False if expressions do not see such
  // values, or the name is taken. REQUIRES: the shape outlives this, and the types of what it
  // compiles.
  bool add_variable(std::string_view name, const Shape& shape, bool optional = false);

  // An object with known fields; its values are maps of JSON that have them. Types of fields may
  // name structs that were added before, and this one. False if a type is malformed, or the name is
  // taken.
  struct Field {
    std::string_view name;
    std::string_view type;
  };
  bool add_struct(std::string_view name, std::span<const Field> fields);
  // One more field of a struct, or another type for one that it has. False if the type is
  // malformed, or there is no such struct.
  bool set_field(std::string_view structure, const Field& field);
  // Expressions may make structs of this name, and of names below it (Object, Object.spec): any
  // field, of any type.
  void allow_free_struct(std::string_view name) { free_struct_ = name; }
  // Whether expressions may make such a struct.
  bool can_make(std::string_view structure) const;
  // Expressions may make a struct that was added.
  void allow_making(std::string_view structure) { made_.emplace(structure); }
  // Expressions may name values: cel.bind(name, value, expression).
  void allow_bindings() { bindings_ = true; }
  bool has_bindings() const { return bindings_; }
  // Null if the struct has no such field. REQUIRES: a struct of this environment.
  const Type* field(const Type& type, std::string_view name) const;

  const Declarations& declarations() const { return *declarations_; }
  const std::shared_ptr<const Declarations>& shared_declarations() const { return declarations_; }
  const std::vector<Variable>& variables() const { return variables_; }
  int minor_version() const { return minor_version_; }

 private:
  std::shared_ptr<const Declarations> declarations_;
  int minor_version_;
  std::unique_ptr<TypeArena> types_ = std::make_unique<TypeArena>();
  std::vector<Variable> variables_;
  using Fields = std::map<std::string, const Type*, std::less<>>;
  std::map<std::string, Fields, std::less<>> structs_;
  bool is_free(std::string_view structure) const;
  std::string free_struct_;
  std::set<std::string, std::less<>> made_;
  bool bindings_ = false;
};

}  // namespace proa::cel
