#include "apiserver/request/request.h"

#include <algorithm>

namespace proa::apiserver {

bool User::in_group(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

const UserPtr& nobody() {
  static const UserPtr user = std::make_shared<const User>();
  return user;
}

std::string qualified_resource(const api::Resource& resource) {
  std::string text(resource.name);
  if (!resource.group.empty()) text.append(".").append(resource.group);
  return text;
}

StatusDetails Request::details(std::string_view object) const {
  return {.name = std::string(object),
          .group = std::string(resource->group),
          .kind = std::string(resource->name),
          .uid = {},
          .causes = {}};
}

Status Request::not_found() const {
  return Status(Reason::kNotFound, qualified_resource(*resource) + " \"" + name + "\" not found")
      .with_details(details(name));
}

Status Request::conflict(std::string_view why) const {
  return Status(Reason::kConflict, "Operation cannot be fulfilled on " +
                                       qualified_resource(*resource) + " \"" + name +
                                       "\": " + std::string(why))
      .with_details(details(name));
}

Status Request::already_exists(std::string_view object) const {
  return Status(Reason::kAlreadyExists,
                qualified_resource(*resource) + " \"" + std::string(object) + "\" already exists")
      .with_details(details(object));
}

Status Request::forbidden(std::string_view why) const {
  return Status(Reason::kForbidden, qualified_resource(*resource) + " \"" + name +
                                        "\" is forbidden: " + std::string(why))
      .with_details(details(name));
}

Status Request::bad_request(std::string_view why) const {
  return {Reason::kBadRequest, std::string(why)};
}

}  // namespace proa::apiserver
