#include "apiserver/front/paths/version.h"

#include "apiserver/representation/status.h"

namespace proa::apiserver {

std::optional<http::Response> VersionPath::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  if (path_of(target) != "/version") return std::nullopt;
  if (head.method != "GET" && head.method != "HEAD") {
    return status_response({Reason::kMethodNotAllowed,
                            "the server does not allow this method on the requested resource"});
  }
  return json_response(200, document_);
}

}  // namespace proa::apiserver
