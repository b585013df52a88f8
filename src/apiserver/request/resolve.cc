#include "apiserver/request/resolve.h"

#include <algorithm>

#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace resolving {

using api::Verb;

bool has_any(const api::Resource& resource, std::initializer_list<Verb> verbs) {
  return std::ranges::any_of(verbs, [&](Verb verb) { return resource.verbs.has(verb); });
}

// Whether upstream has a route with this path, whatever the method: of an object or collection, not
// of a subresource.
bool is_path(const Address& address) {
  const api::Resource& resource = *address.resource;
  const bool named = !address.name.empty();
  if (resource.namespaced && address.name_space.empty()) {
    return !named && has_any(resource, {Verb::kList, Verb::kWatch});
  }
  if (named) return has_any(resource, {Verb::kGet, Verb::kUpdate, Verb::kPatch, Verb::kDelete});
  return has_any(resource, {Verb::kList, Verb::kWatch, Verb::kCreate, Verb::kDeleteCollection});
}

// Other verbs on namespaced resources require a namespace.
bool spans_namespaces(Verb verb) { return verb == Verb::kList || verb == Verb::kWatch; }

bool needs_name(Verb verb) { return verb == Verb::kUpdate || verb == Verb::kPatch; }

// REQUIRES: the path is one.
Result<void> check_verb(const Address& address, Verb verb) {
  const bool all_namespaces = address.resource->namespaced && address.name_space.empty();
  if (all_namespaces && !spans_namespaces(verb)) return method_not_allowed();
  if (verb == Verb::kCreate && !address.name.empty()) return method_not_allowed();
  if (needs_name(verb) && address.name.empty()) return method_not_allowed();
  if (!address.resource->verbs.has(verb)) return method_not_allowed();
  return {};
}

// What would escape its place in store keys, or cannot be a name.
std::string_view flaw_of(std::string_view segment) {
  if (segment == ".") return "may not be '.'";
  if (segment == "..") return "may not be '..'";
  if (segment.find('%') != std::string_view::npos) return "may not contain '%'";
  if (segment.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) {
    return "may not contain '/'";
  }
  return {};
}

Result<void> check_names(const Address& address) {
  const auto refuse = [](std::string_view what, std::string_view name, std::string_view flaw) {
    return Status(Reason::kBadRequest, std::string(what) + " parameter invalid: \"" +
                                           std::string(name) + "\": " + std::string(flaw));
  };
  std::string_view flaw = flaw_of(address.name);
  if (!flaw.empty()) return refuse("Name", address.name, flaw);
  flaw = flaw_of(address.name_space);
  // Upstream reads none, where this is in its keys.
  if (!flaw.empty() && address.name_space.find('%') == std::string_view::npos) {
    return refuse("Namespace", address.name_space, flaw);
  }
  return {};
}

// As upstream: the routes of custom resources take any subresource, and then find nothing.
Status no_such_subresource(const Address& address) {
  if (!address.resource->custom) return no_such_resource();
  Request request;
  request.resource = address.resource;
  request.name = address.name;
  return request.not_found();
}

Result<void> check_subresource(const Address& address) {
  if (address.subresource.empty()) return {};
  if (address.resource->namespaced && address.name_space.empty()) return no_such_resource();
  if (address.resource->find_subresource(address.subresource) == nullptr)
    return no_such_subresource(address);
  return {};
}

}  // namespace resolving

Result<Request> resolve(const Address& address, std::optional<api::Verb> verb, UserPtr user) {
  if (address.resource == nullptr) return no_such_resource();
  if (!address.name_space.empty() && !address.resource->namespaced) return no_such_resource();
  if (address.subresource.empty() && !resolving::is_path(address)) return no_such_resource();
  TRY(resolving::check_subresource(address));
  if (!verb) return method_not_allowed();
  if (address.subresource.empty()) {
    TRY(resolving::check_verb(address, *verb));
  } else if (!address.resource->find_subresource(address.subresource)->verbs.has(*verb)) {
    return method_not_allowed();
  }
  TRY(resolving::check_names(address));
  Request request;
  request.verb = *verb;
  request.resource = address.resource;
  request.name_space = address.name_space;
  request.name = address.name;
  request.user = std::move(user);
  if (!address.subresource.empty()) {
    request.subresource = address.resource->find_subresource(address.subresource);
  }
  return request;
}

}  // namespace proa::apiserver
