#include "apiserver/access/admission/cluster/default_class.h"

#include <algorithm>

#include "api/object/view.h"

namespace proa::apiserver {

Result<std::string> find_default_class(const ObjectReader& objects, std::string_view group,
                                       std::string_view resource,
                                       std::span<const std::string_view> annotations) {
  const std::vector<api::ObjectPtr> classes = TRY(objects.list(group, resource, ""));
  std::string newest;
  std::string newest_created;
  // Sorted by name.
  for (const api::ObjectPtr& one : classes) {
    const json::Document document = TRY(one->document());
    const api::View metadata = api::View(document.root())["metadata"];
    const bool is_default = std::ranges::any_of(annotations, [&](std::string_view annotation) {
      return metadata["annotations"][annotation].text() == "true";
    });
    // The server writes timestamps in one format, so they compare as strings.
    const std::string_view created = metadata["creationTimestamp"].text();
    if (!is_default || (!newest.empty() && created <= newest_created)) continue;
    newest = metadata["name"].text();
    newest_created = created;
  }
  return newest;
}

}  // namespace proa::apiserver
