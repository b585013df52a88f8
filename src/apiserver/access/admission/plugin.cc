#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

bool Admission::is_about(std::string_view group, std::string_view resource,
                         std::string_view subresource) const {
  const std::string_view part =
      request.subresource == nullptr ? std::string_view() : request.subresource->name;
  return request.resource->name == resource && request.resource->group == group &&
         part == subresource;
}

Status Admission::forbidden(api::View object, std::string_view why) const {
  const api::View metadata = object["metadata"];
  std::string name = request.name;
  if (name.empty()) name = metadata["name"].text();
  if (name.empty()) name = metadata["generateName"].text();
  if (name.empty()) name = "Unknown";
  return Status(Reason::kForbidden, qualified_resource(*request.resource) + " \"" + name +
                                        "\" is forbidden: " + std::string(why))
      .with_details(request.details(name));
}

}  // namespace proa::apiserver
