#include "apiserver/request/resolve.h"

#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace resolving {

using api::Verb;

// Other verbs on namespaced resources require a namespace.
bool spans_namespaces(Verb verb) { return verb == Verb::kList || verb == Verb::kWatch; }

bool needs_name(Verb verb) { return verb == Verb::kUpdate || verb == Verb::kPatch; }

// For an object or collection, not a subresource.
Result<void> check_verb(const Address& address, Verb verb) {
  const bool all_namespaces = address.resource->namespaced && address.name_space.empty();
  if (all_namespaces && !spans_namespaces(verb)) return method_not_allowed();
  if (all_namespaces && !address.name.empty()) return no_such_resource();
  if (verb == Verb::kCreate && !address.name.empty()) return method_not_allowed();
  if (needs_name(verb) && address.name.empty()) return method_not_allowed();
  if (!address.resource->verbs.has(verb)) return method_not_allowed();
  return {};
}

}  // namespace resolving

Result<Request> resolve(const Address& address, std::optional<api::Verb> verb, User user) {
  if (address.resource == nullptr) return no_such_resource();
  if (!address.name_space.empty() && !address.resource->namespaced) return no_such_resource();
  if (!verb) return method_not_allowed();
  Request request;
  request.verb = *verb;
  request.resource = address.resource;
  request.name_space = address.name_space;
  request.name = address.name;
  request.user = std::move(user);
  if (address.subresource.empty()) {
    TRY(resolving::check_verb(address, *verb));
    return request;
  }
  request.subresource = address.resource->find_subresource(address.subresource);
  if (request.subresource == nullptr) return no_such_resource();
  if (!request.subresource->verbs.has(*verb)) return method_not_allowed();
  return request;
}

}  // namespace proa::apiserver
