#include "apiserver/front/paths/index.h"

#include <set>

#include "apiserver/representation/status.h"
#include "json/print.h"

namespace proa::apiserver {
namespace index_path {

std::string paths(const ServedResources& served, const ExtensionDocuments* others,
                  const std::vector<std::string>& more) {
  std::set<std::string> paths = {"/.well-known/openid-configuration",
                                 "/api",
                                 "/apis",
                                 "/apis/",
                                 "/flagz",
                                 "/healthz",
                                 "/livez",
                                 "/metrics",
                                 "/metrics/slis",
                                 "/openapi/v2",
                                 "/openapi/v3",
                                 "/openapi/v3/",
                                 "/openid/v1/jwks",
                                 "/readyz",
                                 "/statusz",
                                 "/version"};
  paths.insert(more.begin(), more.end());
  for (const api::Resource* resource : served.resources) {
    if (resource->group.empty()) {
      paths.insert("/api/" + std::string(resource->version));
    } else {
      const std::string group = "/apis/" + std::string(resource->group);
      paths.insert(group);
      paths.insert(group + "/" + std::string(resource->version));
    }
  }
  if (others != nullptr) {
    for (const RemoteVersion& remote : others->versions) {
      paths.insert("/apis/" + remote.group);
      paths.insert("/apis/" + remote.group_version);
    }
  }
  json::Document document({}, json::Value::object());
  json::Value list = json::Value::array();
  for (const std::string& path : paths)
    list.push_back(document.arena(), json::Value::string(document.arena(), path));
  document.root().set(document.arena(), "paths", std::move(list));
  return json::print_pretty(document.root());
}

}  // namespace index_path

std::optional<http::Response> IndexPath::answer(const http::RequestHead&,
                                                const http::Target& target) {
  if (path_of(target) != "/") return std::nullopt;
  const ExtensionDocumentsPtr others =
      aggregation_ == nullptr ? nullptr : aggregation_->documents();
  return json_response(200, Bytes(index_path::paths(*catalogue_.served(), others.get(), more_)));
}

}  // namespace proa::apiserver
