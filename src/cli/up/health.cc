#include "cli/up/health.h"

#include "cli/commands/version.h"
#include "json/print.h"

namespace proa::cli {
namespace health {

http::Response answer(int status, std::string_view type, Bytes body) {
  http::Response response;
  response.status = status;
  response.headers = {{"content-type", std::string(type)}, {"x-content-type-options", "nosniff"}};
  response.body = std::move(body);
  return response;
}

http::Response text(int status, std::string_view body) {
  return answer(status, "text/plain; charset=utf-8", Bytes::of_static(body));
}

// metav1.Status, as the API server answers what it does not serve.
http::Response failure(const Status& status) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "kind", json::Value::borrowed("Status"));
  root.set(arena, "apiVersion", json::Value::borrowed("v1"));
  root.set(arena, "metadata", json::Value::object());
  root.set(arena, "status", json::Value::borrowed("Failure"));
  root.set(arena, "message", json::Value::string(arena, status.message()));
  root.set(arena, "reason", json::Value::borrowed(reason_name(status.reason())));
  root.set(arena, "details", json::Value::object());
  root.set(arena, "code", json::Value::integer(status.code()));
  return answer(status.code(), "application/json", Bytes(json::print(root) + "\n"));
}

}  // namespace health

HealthHandler::HealthHandler() : version_(json::print_pretty(version_document().root())) {}

void HealthHandler::handle(http::ExchangePtr exchange) {
  const http::RequestHead& request = exchange->request();
  const std::string_view target = request.target;
  exchange->respond(answer(request.method, target.substr(0, target.find('?'))));
}

http::Response HealthHandler::answer(std::string_view method, std::string_view path) const {
  const bool known =
      path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/version";
  if (!known) {
    return health::failure({Reason::kNotFound, "the server could not find the requested resource"});
  }
  if (method != "GET" && method != "HEAD") {
    return health::failure({Reason::kMethodNotAllowed,
                            "the server does not allow this method on the requested resource"});
  }
  if (path == "/version") return health::answer(200, "application/json", version_);
  if (path == "/readyz" && !ready_.load(std::memory_order_relaxed)) {
    return health::text(503, "not ready: starting or stopping\n");
  }
  return health::text(200, "ok");
}

}  // namespace proa::cli
