#include "apiserver/request/route.h"

#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace route {

using Segments = std::span<const std::string>;

// Upstream's routes match an empty namespace, as in "namespaces//pods": it stands for all of them.
bool is_empty_namespace(Segments rest, size_t at) {
  return at == 1 && rest.size() == 3 && rest[0] == "namespaces" && rest[1].empty();
}

// "namespaces/NS/pods/..." is in a namespace; "namespaces/NAME", "namespaces/NAME/status" and
// "namespaces/NAME/finalize" are the namespace itself.
bool names_namespace(Segments rest) {
  return rest.size() >= 3 && rest[0] == "namespaces" &&
         !(rest.size() == 3 && (rest[2] == "status" || rest[2] == "finalize"));
}

void read_rest(Segments rest, Route& found) {
  if (names_namespace(rest)) {
    found.name_space = rest[1];
    found.namespaced = true;
    rest = rest.subspan(2);
  }
  found.resource = rest[0];
  if (rest.size() > 1) found.name = rest[1];
  if (rest.size() > 2) found.subresource = rest[2];
  for (size_t i = 3; i < rest.size(); ++i) found.subpath += "/" + rest[i];
}

}  // namespace route

Result<std::optional<Route>> find_route(const http::Target& target) {
  route::Segments segments = target.segments;
  if (!segments.empty() && segments.back().empty()) segments = segments.first(segments.size() - 1);
  Route found;
  if (segments.size() >= 3 && segments[0] == "api") {
    found.version = segments[1];
    segments = segments.subspan(2);
  } else if (segments.size() >= 4 && segments[0] == "apis" && !segments[1].empty()) {
    found.group = segments[1];
    found.version = segments[2];
    segments = segments.subspan(3);
  } else {
    return std::optional<Route>();
  }
  if (segments[0] == "watch" && segments.size() > 1) {
    found.watches = true;
    segments = segments.subspan(1);
  }
  for (size_t i = 0; i < segments.size() && i < 5; ++i) {
    // Upstream reads an escaped slash as a slash: neither it nor an empty segment is in its routes.
    if (route::is_empty_namespace(segments, i)) continue;
    if (segments[i].empty() || segments[i].find('/') != std::string::npos) {
      return no_such_resource();
    }
  }
  route::read_rest(segments, found);
  return std::optional<Route>(std::move(found));
}

std::optional<api::Verb> verb_of(std::string_view method, const Route& route, bool watch) {
  const bool collection = route.name.empty();
  if (method == "GET" || (method == "HEAD" && route.subresource == "proxy")) {
    // Only collections are watched by a query: that of a subresource may belong to a proxied
    // server, and an object is returned whatever the query says.
    if (route.watches || (watch && collection)) return api::Verb::kWatch;
    return collection ? api::Verb::kList : api::Verb::kGet;
  }
  if (method == "POST") return api::Verb::kCreate;
  if (method == "PUT") return api::Verb::kUpdate;
  if (method == "PATCH") return api::Verb::kPatch;
  if (method == "DELETE") return collection ? api::Verb::kDeleteCollection : api::Verb::kDelete;
  return std::nullopt;
}

}  // namespace proa::apiserver
