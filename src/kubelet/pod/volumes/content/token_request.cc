#include "kubelet/pod/volumes/content/token_request.h"

#include <algorithm>
#include <optional>

#include "api/object/edit.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::kubelet {
namespace token_request {

json::Document request_object(const Pod& pod, const std::string& audience, int64_t seconds) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit root(document);
  root.set("kind", "TokenRequest");
  root.set("apiVersion", "authentication.k8s.io/v1");
  root.object("metadata");
  const api::Edit spec = root.object("spec");
  const api::Edit audiences = spec.array("audiences");
  if (!audience.empty()) audiences.push(json::Value::string(document.arena(), audience));
  if (seconds > 0) spec.set("expirationSeconds", seconds);
  const api::Edit bound = spec.object("boundObjectRef");
  bound.set("kind", "Pod");
  bound.set("apiVersion", "v1");
  bound.set("name", pod.name());
  bound.set("uid", pod.uid().view());
  return document;
}

}  // namespace token_request

Result<BoundToken> request_token(const client::BoundedClient& client, const api::Schema& schema,
                                 const Pod& pod, const std::string& audience, int64_t seconds) {
  client::Place place;
  place.resource = schema.find_resource("", "v1", "serviceaccounts");
  CHECK(place.resource != nullptr);
  place.name_space = pod.name_space();
  place.name = pod.spec()["serviceAccountName"].text("default");
  place.subresource = "token";
  const api::ObjectPtr answer =
      TRY(client.create(place, token_request::request_object(pod, audience, seconds), {}));
  const json::Document document = TRY(answer->document());
  const api::View status = api::View(document.root())["status"];
  BoundToken bound;
  bound.token = status["token"].text();
  bound.expires = TRY(parse_time(status["expirationTimestamp"].text()));
  if (bound.token.empty()) return Status(Reason::kInternalError, "response contains no token");
  return bound;
}

}  // namespace proa::kubelet
