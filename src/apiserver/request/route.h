#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/schema/resource.h"
#include "base/result.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Where a path of the API leads, before anybody looked whether there is such a resource.
// /api/v1/namespaces/NS/pods/NAME/SUBRESOURCE/..., /apis/GROUP/VERSION/..., and their older form
// with "watch" before the namespaces.
struct Route {
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view name_space;
  std::string_view name;
  std::string_view subresource;
  std::string subpath;      // what follows the subresource, with its leading slash
  bool watches = false;     // the older form
  bool namespaced = false;  // the path names a namespace
};

// Nullopt when it is no path of a resource: discovery, health and the like. Views into `target`.
// kBadRequest for segments that no name can have.
Result<std::optional<Route>> find_route(const http::Target& target);

// The verb of a method on an object or collection; nullopt: no such method.
std::optional<api::Verb> verb_of(std::string_view method, const Route& route, bool watch);

}  // namespace proa::apiserver
