#include "apiserver/streaming/aggregation/extension_proxy.h"

#include "apiserver/representation/status.h"
#include "apiserver/representation/warnings.h"
#include "apiserver/streaming/aggregation/identity_fields.h"
#include "apiserver/streaming/passed_fields.h"
#include "base/log.h"
#include "http/forward/forward.h"

namespace proa::apiserver {
namespace extension_proxy {

const Log kLog{"aggregation"};
// Discovery should be fast everywhere: clients ask all servers for it.
constexpr Duration kDiscoveryTimeout = std::chrono::seconds(5);
constexpr size_t kDiscoverySegments = 3;  // /apis/GROUP/VERSION
constexpr std::string_view kRedirected =
    "the backend attempted to redirect this request, which is not permitted";

// As Go's http.Error.
http::Response text(int status, const std::string& message) {
  return {.status = status,
          .headers = {{"cache-control", "no-cache, private"},
                      {"content-type", "text/plain; charset=utf-8"},
                      {"x-content-type-options", "nosniff"}},
          .body = Bytes(message + "\n"),
          .trailers = {}};
}

http::Response unavailable() { return text(503, "service unavailable"); }

// "/apis/GROUP/VERSION/" has an empty segment at its end.
bool is_discovery(const http::Target& target) {
  const size_t size = target.segments.size();
  return size == kDiscoverySegments ||
         (size == kDiscoverySegments + 1 && target.segments.back().empty());
}

bool is_redirect(const http::ResponseHead& head) {
  return head.status >= 300 && head.status <= 399 && !head.headers.get("location").empty();
}

http::Headers passed_on(const ExtensionRequest& request, const http::Origin& origin) {
  const http::RequestHead& head = request.exchange->request();
  http::Headers headers = passed_fields(head, request.exchange->peer(), request.target,
                                        {.connection = Connection::kProxy});
  headers.set("x-forwarded-host", origin.authority());
  headers.set("x-forwarded-proto", "https");
  set_identity(headers, *request.user);
  return headers;
}

http::ForwardOptions options_for(const ExtensionRequest& request, bool discovery, bool upgrades) {
  http::ForwardOptions options;
  options.timeout = discovery ? kDiscoveryTimeout : request.timeout;
  const std::string accept(request.exchange->request().headers.get("accept"));
  options.failed = [accept, discovery, upgrades](const Status& why) {
    if (upgrades) return text(503, why.message());
    // The filter that ends slow requests of this server, too.
    if (why.is(Reason::kTimeout) && !discovery) {
      return status_response({Reason::kTimeout,
                              "Timeout: request did not complete within the "
                              "allotted timeout"},
                             accept);
    }
    return text(503, "error trying to reach service: " + why.message());
  };
  // A redirect would lead clients, with their credentials, wherever the server likes.
  const auto redirected = std::make_shared<bool>(false);
  options.edit = [redirected, warnings = request.warnings](http::ResponseHead& head) {
    if (is_redirect(head)) {
      *redirected = true;
      head = {.status = 502, .headers = {{"content-type", "text/plain; charset=utf-8"}}};
    }
    remove_foreign_claims(head.headers);
    keep_from_caches(head);
    add_warnings(head.headers, warnings);
  };
  options.rewrite = [redirected](const http::ResponseHead&) -> http::ForwardOptions::Rewrite {
    if (!*redirected) return nullptr;
    return [](std::string_view, bool end) { return std::string(end ? kRedirected : ""); };
  };
  return options;
}

}  // namespace extension_proxy

void forward_to_extension(const ExtensionRequest& request, const ExtensionApi& api,
                          const ExtensionServers& servers) {
  using namespace extension_proxy;
  http::Exchange& exchange = *request.exchange;
  if (!api.available) return exchange.respond(unavailable());
  if (servers.is_own(exchange.peer().certificates.chain_der)) {
    return exchange.respond(status_response(
        {Reason::kServiceUnavailable,
         "loop detected: the service of APIService " + api.name + " leads to this server"},
        exchange.request().headers.get("accept")));
  }
  if (!can_be_named(*request.user)) {
    return exchange.respond(
        status_response({Reason::kForbidden,
                         "the name, uid, groups or extra of this user begin or end with blanks, "
                         "or have several lines: they cannot be passed on to an aggregated server"},
                        exchange.request().headers.get("accept")));
  }
  const Result<std::shared_ptr<http::Client>> client = servers.client_for(api);
  if (!client) return exchange.respond(text(500, client.status().message()));
  const Result<http::Origin> origin = servers.find(api);
  if (!origin) {
    kLog.warn("finding the server of an APIService failed",
              {{"name", api.name}, {"error", origin.status()}});
    return exchange.respond(unavailable());
  }
  const bool upgrades = http::wants_upgrade(exchange.request());
  http::ClientRequest wanted{.origin = *origin,
                             .target = exchange.request().target,
                             .headers = passed_on(request, *origin)};
  http::ForwardOptions options = options_for(request, is_discovery(request.target), upgrades);
  const auto pass = upgrades ? http::forward_upgrade : http::forward;
  pass(request.exchange, **client, std::move(wanted), std::move(options));
}

}  // namespace proa::apiserver
