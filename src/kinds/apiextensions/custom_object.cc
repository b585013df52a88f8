#include "kinds/apiextensions/custom_object.h"

#include <fmt/format.h>

#include <set>

#include "api/validation/go_text.h"

namespace proa::kinds {
namespace custom_object {

// Those that the server and namespaces use themselves.
bool is_standard(std::string_view finalizer) {
  return finalizer == "orphan" || finalizer == "foregroundDeletion" || finalizer == "kubernetes";
}

// Finalizers of custom objects need no domain, unlike those of built-in kinds. In upstream's order.
void warn(View object, View old, Warnings& warnings) {
  std::set<std::string_view> added;
  for (const View finalizer : object["metadata"]["finalizers"].items())
    added.insert(finalizer.text());
  for (const View finalizer : old["metadata"]["finalizers"].items()) added.erase(finalizer.text());
  for (const std::string_view finalizer : added) {
    if (finalizer.find('/') != std::string_view::npos || is_standard(finalizer)) continue;
    const bool is_domain = finalizer.find('.') != std::string_view::npos;
    warnings.push_back(
        fmt::format("metadata.finalizers: {}: prefer a domain-qualified finalizer name {}to avoid "
                    "accidental conflicts with other finalizer writers",
                    api::quoted(finalizer), is_domain ? "including a path (/) " : ""));
  }
}

}  // namespace custom_object

KindRules custom_object_rules() {
  return {.metadata = {.create = "m", .update = "u", .status = "u"}, .warn = custom_object::warn};
}

}  // namespace proa::kinds
