#include "apiserver/access/admission/plugin.h"

#include "apiserver/access/admission/kept_managers.h"

namespace proa::apiserver {

std::string_view operation_name(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

bool Admission::is_about(std::string_view group, std::string_view resource,
                         std::string_view subresource) const {
  const std::string_view part =
      request.subresource == nullptr ? std::string_view() : request.subresource->name;
  return request.resource->name == resource && request.resource->group == group &&
         part == subresource;
}

void Admission::annotate(std::string_view key, std::string value) const {
  if (request.audit != nullptr) request.audit->annotate(key, std::move(value));
}

void Admission::replace(api::Edit object, const json::Value& by) const {
  if (managers != nullptr) managers->keep(object.view());
  object.value() = by.copy(object.arena());
}

Status Admission::forbidden(api::View object, std::string_view why) const {
  const api::View metadata = object["metadata"];
  std::string name = request.of_collection ? std::string() : request.name;
  if (name.empty()) name = metadata["name"].text();
  if (name.empty()) name = metadata["generateName"].text();
  if (name.empty()) name = "Unknown";
  return Status(Reason::kForbidden, qualified_resource(*request.resource) + " \"" + name +
                                        "\" is forbidden: " + std::string(why))
      .with_details(request.details(name));
}

Status Admission::invalid(api::View object, const api::FieldErrors& errors) const {
  return errors.to_status(request.resource->group, request.resource->type->name,
                          object["metadata"]["name"].text());
}

}  // namespace proa::apiserver
