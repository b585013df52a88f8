#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/schema/resource.h"
#include "base/result.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// A parsed resource path; the resource may not exist.
// /api/v1/namespaces/NS/pods/NAME/SUBRESOURCE/..., /apis/GROUP/VERSION/..., and the deprecated form
// with "watch" before the namespaces.
struct Route {
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view name_space;
  std::string_view name;
  std::string_view subresource;
  std::string subpath;      // the path after the subresource, with its leading slash
  bool watches = false;     // the deprecated form
  bool namespaced = false;  // the path names a namespace
};

// Nullopt if it is not a resource path (discovery, health etc.). Views into `target`. Fails with
// kBadRequest if a segment cannot be a name, kNotFound if it is empty or has a slash.
Result<std::optional<Route>> find_route(const http::Target& target);

// The verb of a method on an object or collection; nullopt: unknown method.
std::optional<api::Verb> verb_of(std::string_view method, const Route& route, bool watch);

}  // namespace proa::apiserver
