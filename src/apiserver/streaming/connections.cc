#include "apiserver/streaming/connections.h"

#include <fmt/format.h>

#include <array>

#include "apiserver/access/authz/attributes.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "apiserver/streaming/log_failure.h"
#include "apiserver/streaming/passed_fields.h"
#include "apiserver/streaming/proxied_location.h"
#include "apiserver/streaming/streams/translated_connection.h"
#include "http/forward/forward.h"
#include "http/websocket/handshake.h"

namespace proa::apiserver {

struct Connections::Asked {
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

// What a kubelet may take to switch protocols.
constexpr Duration kPatience = std::chrono::seconds(30);

std::string url_of(const Destination& destination) {
  return destination.origin.str() + destination.target;
}

// When the other side can't be asked, in upstream's words for each way of asking.
Status failure(const Status& why, const Destination& destination, bool upgrades) {
  // That it did not switch is said as it is.
  if (why.reason() == Reason::kUnknown) return why;
  if (upgrades) return {Reason::kUnknown, "error dialing backend: " + why.message()};
  if (destination.connection == Connection::kLog) {
    return {Reason::kUnknown, fmt::format("Get \"{}\": {}", url_of(destination), why.message())};
  }
  return {Reason::kServiceUnavailable, "error trying to reach service: " + why.message()};
}

// Of a kubelet that did not switch. A failure is passed on; anything else is no answer to what was
// asked.
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

// What somebody's server says about origins was not meant for ours, and its paths lie elsewhere
// here.
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
    };
  } else if (destination.connection == Connection::kLog) {
    options.edit = [](http::ResponseHead& answer) {
      answer.headers = {{"content-type", "text/plain"}};
    };
    options.replace = [accept, url = url_of(destination), pod](const http::Response& answer) {
      return status_response(log_failure(answer, url, pod), accept);
    };
  }
  return options;
}

// Paths of the other side that are relative would else lead out of it.
bool wants_slash(const Destination& destination, const http::RequestHead& head,
                 const http::Target& target) {
  return destination.connection == Connection::kProxy && target.raw_path == destination.prefix &&
         (head.method == "GET" || head.method == "HEAD");
}

http::Response to_slash(const http::Target& target) {
  std::string place = target.raw_path + "/";
  if (!target.raw_query.empty()) place += "?" + target.raw_query;
  return {.status = 301, .headers = {{"location", place}}, .body = {}, .trailers = {}};
}

// Those of a WebSocket begin with GET, and would need less than others (upstream's
// ensureAuthorizedForVerb). The same for who goes there by a kubelet's own paths, which it opens to
// us: nodes/proxy is not only for looking.
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

}  // namespace connections

Connections::Connections(http::LoopGroup& loops, Clock& clock)
    : kubelets_(loops, clock, {}),
      unverified_kubelets_(loops, clock, {}),
      others_(loops, clock, {}) {}

Result<std::unique_ptr<Connections>> Connections::make(http::LoopGroup& loops, Clock& clock,
                                                       const KubeletAccess& access) {
  http::TlsOptions tls{.certificate_pem = access.certificate_pem,
                       .private_key_pem = access.key_pem,
                       .roots_pem = access.authority_pem,
                       .insecure_skip_verify = access.authority_pem.empty()};
  const auto kubelets = TRY(http::TlsContext::client(tls));
  tls.roots_pem.clear();
  tls.insecure_skip_verify = true;
  const auto unverified = TRY(http::TlsContext::client(tls));
  tls.certificate_pem.clear();
  tls.private_key_pem.clear();
  const auto others = TRY(http::TlsContext::client(tls));
  std::unique_ptr<Connections> made(new Connections(loops, clock));
  made->kubelets_.set_tls(kubelets);
  made->unverified_kubelets_.set_tls(unverified);
  made->others_.set_tls(others);
  return made;
}

http::Client& Connections::client_for(const Destination& destination) {
  if (!destination.is_kubelet) return others_;
  return destination.verified ? kubelets_ : unverified_kubelets_;
}

void Connections::connect(const http::ExchangePtr& exchange, const ApiContext& context,
                          const Request& request, const http::Target& target,
                          const RequestMark& mark, WorkerPool& pool) {
  using namespace connections;
  const Asked asked{
      .exchange = exchange, .context = context, .request = request, .target = target, .mark = mark};
  if (connection_of(request) != Connection::kLog && target.find("dryRun") != nullptr) {
    return asked.fail({Reason::kBadRequest, "dryRun is not supported"});
  }
  if (!needs_create(request, exchange->request())) return pass_on(asked);
  const auto judge = [this](const Asked& by, const Verdict& verdict) {
    if (verdict.allowed()) return pass_on(by);
    by.fail(forbidden(create_attributes(by.request), verdict.reason));
  };
  if (const auto verdict = context.authorizer.authorize_now(create_attributes(request))) {
    return judge(asked, *verdict);
  }
  const bool taken = pool.submit([asked, judge] {
    const Verdict verdict = asked.context.authorizer.authorize(create_attributes(asked.request));
    asked.exchange->loop().post([asked, judge, verdict] { judge(asked, verdict); });
  });
  if (!taken) asked.fail(too_many_requests());
}

void Connections::pass_on(const Asked& asked) {
  const Result<std::optional<Destination>> found =
      find_destination(ObjectReader(asked.context.store, asked.context.schema), asked.request,
                       asked.target, asked.context.random);
  if (!found.ok()) return asked.fail(found.status());
  if (!*found) return asked.respond({.status = 204, .headers = {}, .body = {}, .trailers = {}});
  const Destination& destination = **found;
  const http::RequestHead& head = asked.exchange->request();
  const bool upgrades = destination.connection != Connection::kLog && http::wants_upgrade(head);
  if (destination.connection == Connection::kStream && !upgrades) {
    return asked.fail({Reason::kBadRequest, "Upgrade request required"});
  }
  if (!upgrades && connections::wants_slash(destination, head, asked.target)) {
    return asked.respond(connections::to_slash(asked.target));
  }
  http::ClientRequest request{
      .origin = destination.origin,
      .target = destination.target,
      .headers = passed_fields(head, asked.exchange->peer(), asked.target, destination)};
  // As the client named us: servers compare it with where a browser says that it comes from, and
  // write it into redirects.
  if (destination.connection != Connection::kLog) request.host = head.authority;
  if (upgrades && destination.connection == Connection::kStream) {
    StreamChoice choice = choose_stream(asked.request, asked.target, head);
    if (choice.translator != nullptr) {
      return translate(asked, destination, std::move(request), std::move(choice));
    }
  }
  const auto pass = upgrades ? http::forward_upgrade : http::forward;
  pass(asked.exchange, client_for(destination), std::move(request),
       connections::options_for(destination, head, asked.request.name, asked.mark, upgrades));
}

// The kubelet is asked first: where it refuses, the client hears of it as of any other answer.
void Connections::translate(const Asked& asked, const Destination& destination,
                            http::ClientRequest request, StreamChoice choice) {
  const std::array<std::string_view, 1> supported = {choice.client_protocol};
  Result<http::WebSocketAgreement> agreed =
      http::accept_websocket(asked.exchange->request(), supported);
  if (!agreed.ok()) return asked.fail(agreed.status());
  ask_for_spdy(request, choice);
  struct Pending {
    http::Headers headers;
    std::unique_ptr<StreamTranslator> translator;
    http::Upgraded node = {};
  };
  const auto pending = std::make_shared<Pending>(
      Pending{.headers = std::move(agreed->headers), .translator = std::move(choice.translator)});
  http::Client& client = client_for(destination);
  const auto done = [asked, destination, pending, &client](Result<http::Upgraded> result) {
    if (!result.ok()) return asked.fail(connections::failure(result.status(), destination, true));
    asked.mark.end(101, 0);
    pending->node = std::move(*result);
    asked.exchange->upgrade(
        pending->headers, [pending, &client, &random = asked.context.random](
                              std::unique_ptr<http::Socket> socket, const std::string& early) {
          http::Loop& loop = socket->loop();
          client.tunnels().add(loop, [&](http::Tunnels::End over) {
            return tie_translated({.socket = std::move(socket), .early = early},
                                  std::move(pending->node), std::move(pending->translator), random,
                                  std::move(over));
          });
        });
  };
  client.upgrade(
      asked.exchange->loop(), std::move(request), connections::kPatience, done,
      [asked](const http::Response& answer) { asked.respond(connections::refusal(answer)); });
}

}  // namespace proa::apiserver
