#include "apiserver/front/paths/version.h"

#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"

namespace proa::apiserver {

std::optional<http::Response> VersionPath::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  const std::string path = path_of(target);
  if (path.starts_with("/version/")) return status_response(no_such_resource());
  if (path != "/version") return std::nullopt;
  if (head.method != "GET") return status_response(method_not_allowed());
  return json_response(200, document_);
}

}  // namespace proa::apiserver
