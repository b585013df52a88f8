#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/model.h"

namespace proa::apiserver {

// A path or query parameter.
struct Parameter {
  std::string_view name;
  std::string_view type;  // string, integer, boolean
  std::string_view description;
  bool in_path = false;  // otherwise in the query

  std::string_view place() const { return in_path ? "path" : "query"; }
  bool operator==(const Parameter& other) const {
    return name == other.name && in_path == other.in_path && description == other.description;
  }
};

// Parameter sets, sorted by name.
std::span<const Parameter> list_parameters();
std::span<const Parameter> delete_parameters();
std::span<const Parameter> delete_collection_parameters();
std::span<const Parameter> write_parameters();
std::span<const Parameter> patch_parameters();

extern const Parameter kNameParameter;
extern const Parameter kNamespaceParameter;
extern const Parameter kPathParameter;
extern const Parameter kPrettyParameter;

// The query parameters of an options kind: its scalar fields and lists of scalars.
std::vector<Parameter> parameters_of(const api::Type& options);

}  // namespace proa::apiserver
