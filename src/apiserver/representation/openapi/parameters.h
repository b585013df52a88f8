#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/model.h"

namespace proa::apiserver {

// What may be said in the path or the query of a request.
struct Parameter {
  std::string_view name;
  std::string_view type;  // string, integer, boolean
  std::string_view description;
  bool in_path = false;  // else in the query

  std::string_view place() const { return in_path ? "path" : "query"; }
  bool operator==(const Parameter& other) const {
    return name == other.name && in_path == other.in_path && description == other.description;
  }
};

// Which ones go together, each in the order of the names.
std::span<const Parameter> list_parameters();
std::span<const Parameter> delete_parameters();
std::span<const Parameter> delete_collection_parameters();
std::span<const Parameter> write_parameters();
std::span<const Parameter> patch_parameters();

extern const Parameter kNameParameter;
extern const Parameter kNamespaceParameter;
extern const Parameter kPathParameter;
extern const Parameter kPrettyParameter;

// Those that the fields of an options kind are given by: scalars, and lists of them.
std::vector<Parameter> parameters_of(const api::Type& options);

}  // namespace proa::apiserver
