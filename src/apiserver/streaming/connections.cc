#include "apiserver/streaming/connections.h"

#include <fmt/format.h>

#include <array>

#include "apiserver/access/admission/chain.h"
#include "apiserver/access/authz/attributes.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "apiserver/streaming/connect_options.h"
#include "apiserver/streaming/html_links.h"
#include "apiserver/streaming/log_failure.h"
#include "apiserver/streaming/passed_fields.h"
#include "apiserver/streaming/proxied_location.h"
#include "apiserver/streaming/streams/log_socket.h"
#include "apiserver/streaming/streams/translated_connection.h"
#include "base/process/capacity.h"
#include "base/strings.h"
#include "base/threads/guarded.h"
#include "http/forward/forward.h"
#include "http/server/limits.h"
#include "http/websocket/handshake.h"

namespace proa::apiserver {

struct Connections::ForwardedRequest {
  void fail(const Status& why) const {
    respond(status_response(why, exchange->request().headers.get("accept")));
  }
  void respond(http::Response response) const {
    mark.end(response.status, response.body.size());
    exchange->respond(std::move(response));
  }

  http::ExchangePtr exchange;
  const ApiContext& context;
  Request request;
  http::Target target;
  RequestMark mark;
};

namespace connections {

constexpr Duration kUpgradeTimeout = std::chrono::seconds(30);

std::string url_of(const Destination& destination) {
  return destination.origin.str() + destination.target;
}

// Connection failures, with upstream's message for each kind of connection.
Status failure(const Status& why, const Destination& destination, bool upgrades) {
  // A refused upgrade is reported as is.
  if (why.reason() == Reason::kUnknown) return why;
  if (upgrades) return {Reason::kUnknown, "error dialing backend: " + why.message()};
  if (destination.connection == Connection::kLog) {
    return {Reason::kUnknown, fmt::format("Get \"{}\": {}", url_of(destination), why.message())};
  }
  return {Reason::kServiceUnavailable, "error trying to reach service: " + why.message()};
}

// For a kubelet that did not switch protocols. Errors are passed on; a success response is an error
// too.
http::Response refusal(const http::Response& answer) {
  if (answer.status < 400) {
    return status_response({Reason::kUnknown, "invalid upgrade response: status code " +
                                                  std::to_string(answer.status)});
  }
  return {.status = answer.status,
          .headers = http::end_to_end(answer.headers),
          .body = answer.body,
          .trailers = {}};
}

// Removes the backend's CORS headers, which do not apply to this server, and rewrites its paths.
void edit_proxied(http::ResponseHead& head, const Destination& destination, std::string_view host) {
  for (const std::string_view name :
       {"access-control-allow-credentials", "access-control-allow-headers",
        "access-control-allow-methods", "access-control-allow-origin"}) {
    head.headers.remove(name);
  }
  const std::string location(head.headers.get("location"));
  if (!location.empty()) {
    head.headers.set("location", proxied_location(location, destination, host));
  }
}

// HTML gets its links rewritten; a compressed page passes as it is, and so does a part of one.
http::ForwardOptions::Rewrite rewriting(const http::ResponseHead& head,
                                        const Destination& destination, const std::string& host) {
  const std::string_view type = head.headers.get("content-type");
  if (trim(type.substr(0, type.find(';'))) != "text/html" || head.headers.has("location") ||
      !head.headers.get("content-encoding").empty() || head.status == 206) {
    return nullptr;
  }
  const auto links = std::make_shared<HtmlLinks>([destination, host](std::string_view address) {
    return proxied_location(address, destination, host);
  });
  return [links](std::string_view part, bool end) { return links->pass(part, end); };
}

http::ForwardOptions options_for(const Destination& destination, const http::RequestHead& head,
                                 const std::string& pod, const RequestMark& mark, bool upgrades) {
  const std::string accept(head.headers.get("accept"));
  http::ForwardOptions options{.failed =
                                   [accept, destination, upgrades](const Status& why) {
                                     return status_response(failure(why, destination, upgrades),
                                                            accept);
                                   },
                               .answered = [mark](int status) { mark.end(status, 0); }};
  if (destination.connection == Connection::kProxy) {
    options.edit = [destination, host = head.authority](http::ResponseHead& answer) {
      edit_proxied(answer, destination, host);
      keep_from_caches(answer);
    };
    options.rewrite = [destination, host = head.authority](const http::ResponseHead& answer) {
      return rewriting(answer, destination, host);
    };
  } else if (destination.connection == Connection::kLog) {
    options.edit = [](http::ResponseHead& answer) {
      answer.headers = {{"content-type", "text/plain"}};
      keep_from_caches(answer);
    };
    options.replace = [accept, url = url_of(destination), pod](const http::Response& answer) {
      return status_response(log_failure(answer, url, pod), accept);
    };
  }
  return options;
}

// Without the slash, relative links of the backend would leave the proxy's prefix.
bool wants_slash(const Destination& destination, const http::RequestHead& head,
                 const http::Target& target) {
  return destination.connection == Connection::kProxy && target.raw_path == destination.prefix &&
         (head.method == "GET" || head.method == "HEAD");
}

http::Response to_slash(const http::Target& target) {
  std::string place = target.raw_path + "/";
  if (!target.raw_query.empty()) place += "?" + target.raw_query;
  return {.status = 301,
          .headers = {{"cache-control", "no-cache, private"}, {"location", place}},
          .body = {},
          .trailers = {}};
}

// WebSocket upgrades use GET but need the permission to create (upstream's
// ensureAuthorizedForVerb). So do upgrades through nodes/proxy, since the kubelet's own paths allow
// exec.
bool needs_create(const Request& request, const http::RequestHead& head) {
  if (request.verb == api::Verb::kCreate) return false;
  const bool enters_node = request.resource->name == "nodes" && http::wants_upgrade(head);
  return enters_node || connection_of(request) == Connection::kStream;
}

Attributes create_attributes(const Request& request) {
  Attributes attributes = attributes_of(request);
  attributes.verb = api::verb_name(api::Verb::kCreate);
  return attributes;
}

// Half of what there is: those to pods must not take those of kubelets.
std::shared_ptr<http::ConnectionCount> count_half() {
  const size_t most = std::max<size_t>(1, http::outgoing_connections_for(process_capacity()) / 2);
  return std::make_shared<http::ConnectionCount>(most, most);
}

http::ClientOptions client_options(const std::shared_ptr<http::ConnectionCount>& count,
                                   http::Dial dial = nullptr) {
  http::ClientOptions options;
  options.pool.count = count;
  options.pool.dial = std::move(dial);
  options.pool.idle_per_origin = 4;
  return options;
}

}  // namespace connections

Connections::Connections(http::LoopGroup& loops, Clock& clock, const KubeletAccess& access)
    : authority_pem_(access.authority_pem),
      kubelet_tls_(access.authority_pem.empty() ? KubeletTls::kSkip : access.tls),
      egress_(access.egress),
      trust_(kubelet_tls_ == KubeletTls::kPin ? std::make_shared<KubeletTrust>(authority_pem_)
                                              : nullptr),
      kubelet_count_(connections::count_half()),
      kubelets_(loops, clock, connections::client_options(kubelet_count_)),
      unverified_kubelets_(loops, clock, connections::client_options(kubelet_count_)),
      others_(loops, clock,
              connections::client_options(connections::count_half(), dial_pods(kubelets_))) {}

Result<std::unique_ptr<Connections>> Connections::make(http::LoopGroup& loops, Clock& clock,
                                                       const KubeletAccess& access) {
  std::unique_ptr<Connections> made(new Connections(loops, clock, access));
  TRY(made->set_certificate({access.certificate_pem, access.key_pem}));
  made->others_.set_tls(TRY(http::TlsContext::client({.insecure_skip_verify = true})));
  return made;
}

Result<void> Connections::set_certificate(const crypto::CertifiedKey& pair) {
  http::TlsOptions tls{.certificate_pem = pair.certificate_pem,
                       .private_key_pem = pair.private_key_pem,
                       .insecure_skip_verify = true};
  const auto unverified = TRY(http::TlsContext::client(tls));
  unverified_kubelets_.set_tls(unverified);
  if (kubelet_tls_ == KubeletTls::kSkip) {
    kubelets_.set_tls(unverified);
    return {};
  }
  tls.roots_pem = authority_pem_;
  tls.insecure_skip_verify = false;
  tls.defer_verification = trust_ != nullptr;
  const auto verifying = TRY(http::TlsContext::client(tls));
  if (trust_ == nullptr) {
    kubelets_.set_tls(verifying);
    return {};
  }
  kubelets_.set_tls(
      {verifying, [trust = trust_](const http::Origin& origin, const http::Socket& socket) {
         return trust->check(ExpectedKubelet::parse(origin.peer), socket.verification(),
                             socket.peer_certificates().chain_der);
       }});
  return {};
}

http::Client& Connections::client_for(const Destination& destination) {
  if (!destination.is_kubelet) return others_;
  return destination.verified ? kubelets_ : unverified_kubelets_;
}

void Connections::connect(const http::ExchangePtr& exchange, const ApiContext& context,
                          const Request& request, const http::Target& target,
                          const RequestMark& mark, WorkerPool& pool) {
  using namespace connections;
  const ForwardedRequest forwarded{
      .exchange = exchange, .context = context, .request = request, .target = target, .mark = mark};
  if (connection_of(request) != Connection::kLog && target.find("dryRun") != nullptr) {
    return forwarded.fail({Reason::kBadRequest, "dryRun is not supported"});
  }
  if (!needs_create(request, exchange->request())) return admit(forwarded, pool);
  const auto judge = [this, &pool](const ForwardedRequest& by, const Verdict& verdict) {
    if (verdict.allowed()) return admit(by, pool);
    by.fail(forbidden(create_attributes(by.request), verdict.reason));
  };
  if (const auto verdict = context.authorizer.authorize_now(create_attributes(request))) {
    return judge(forwarded, *verdict);
  }
  const bool taken = pool.submit([forwarded, judge] {
    const Verdict verdict =
        forwarded.context.authorizer.authorize(create_attributes(forwarded.request));
    http::continue_later(forwarded.exchange,
                         [forwarded, judge, verdict] { judge(forwarded, verdict); });
  });
  if (!taken) forwarded.respond(too_many_requests_response());
}

void Connections::admit(const ForwardedRequest& forwarded, WorkerPool& pool) {
  const auto admission = [](const ForwardedRequest& by) {
    return Admission{.request = by.request, .operation = Operation::kConnect, .old = {}};
  };
  // Reading a log is none.
  if (connection_of(forwarded.request) == Connection::kLog ||
      !forwarded.context.admission.concerns(admission(forwarded))) {
    return forward(forwarded);
  }
  const bool taken = pool.submit([this, forwarded, admission] {
    const Result<void> admitted = guarded([&]() -> Result<void> {
      json::Document options = connect_options(forwarded.request, forwarded.target);
      TRY(forwarded.context.admission.admit(api::Edit(options), admission(forwarded)));
      return forwarded.context.admission.validate(options.root(), admission(forwarded));
    });
    http::continue_later(forwarded.exchange, [this, forwarded, admitted] {
      admitted ? forward(forwarded) : forwarded.fail(admitted.status());
    });
  });
  if (!taken) forwarded.respond(too_many_requests_response());
}

void Connections::forward(const ForwardedRequest& forwarded) {
  const Result<std::optional<Destination>> found =
      find_destination(ObjectReader(forwarded.context.store, forwarded.context.schema),
                       forwarded.request, forwarded.target, forwarded.context.random, egress_);
  if (!found.ok()) return forwarded.fail(found.status());
  if (!*found)
    return forwarded.respond({.status = 204,
                              .headers = {{"cache-control", "no-cache, private"}},
                              .body = {},
                              .trailers = {}});
  const Destination& destination = **found;
  const http::RequestHead& head = forwarded.exchange->request();
  const bool upgrades = destination.connection != Connection::kLog && http::wants_upgrade(head);
  if (destination.connection == Connection::kStream && !upgrades) {
    return forwarded.fail({Reason::kBadRequest, "Upgrade request required"});
  }
  if (!upgrades && connections::wants_slash(destination, head, forwarded.target)) {
    return forwarded.respond(connections::to_slash(forwarded.target));
  }
  http::ClientRequest request{
      .origin = destination.origin,
      .target = destination.target,
      .headers = passed_fields(head, forwarded.exchange->peer(), forwarded.target, destination)};
  // The client's Host: backends compare it with the browser's Origin and use it in redirects.
  if (destination.connection != Connection::kLog) request.host = head.authority;
  if (upgrades && destination.connection == Connection::kStream) {
    StreamChoice choice = choose_stream(forwarded.request, forwarded.target, head);
    if (choice.translator != nullptr) {
      return translate(forwarded, destination, std::move(request), std::move(choice));
    }
  }
  http::ForwardOptions options =
      connections::options_for(destination, head, forwarded.request.name, forwarded.mark, upgrades);
  if (destination.connection == Connection::kLog && http::wants_websocket(head)) {
    return send_log_messages(forwarded.exchange, client_for(destination), std::move(request),
                             std::move(options), forwarded.context.random);
  }
  const auto pass = upgrades ? http::forward_upgrade : http::forward;
  pass(forwarded.exchange, client_for(destination), std::move(request), std::move(options));
}

// Connects to the kubelet first, so that its refusal is a plain HTTP response.
void Connections::translate(const ForwardedRequest& forwarded, const Destination& destination,
                            http::ClientRequest request, StreamChoice choice) {
  const std::array<std::string_view, 1> supported = {choice.client_protocol};
  Result<http::WebSocketAgreement> agreed =
      http::accept_websocket(forwarded.exchange->request(), supported);
  if (!agreed.ok()) return forwarded.fail(agreed.status());
  request_spdy(request, choice);
  struct Pending {
    http::Headers headers;
    std::unique_ptr<StreamTranslator> translator;
    http::Upgraded node = {};
  };
  const auto pending = std::make_shared<Pending>(
      Pending{.headers = std::move(agreed->headers), .translator = std::move(choice.translator)});
  http::Client& client = client_for(destination);
  const auto done = [forwarded, destination, pending, &client](Result<http::Upgraded> result) {
    if (!result.ok())
      return forwarded.fail(connections::failure(result.status(), destination, true));
    forwarded.mark.end(101, 0);
    pending->node = std::move(*result);
    forwarded.exchange->upgrade(
        pending->headers, [pending, &client, &random = forwarded.context.random](
                              std::unique_ptr<http::Socket> socket, const std::string& early) {
          http::Loop& loop = socket->loop();
          client.tunnels().add(loop, [&](http::Tunnels::End over) {
            return splice_translated({.socket = std::move(socket), .early = early},
                                     std::move(pending->node), std::move(pending->translator),
                                     random, std::move(over));
          });
        });
  };
  client.upgrade(forwarded.exchange->loop(), std::move(request), connections::kUpgradeTimeout, done,
                 [forwarded](const http::Response& answer) {
                   forwarded.respond(connections::refusal(answer));
                 });
}

}  // namespace proa::apiserver
