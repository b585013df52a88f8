#include "apiserver/front/http/resource_front.h"

#include "apiserver/front/http/list_answer.h"
#include "apiserver/front/http/watch_answer.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/representation/status.h"
#include "apiserver/resources/execute.h"
#include "apiserver/streaming/connections.h"

namespace proa::apiserver {
namespace resource_front {

// Lists of more objects, when they are not only handed out as they lie there, are made on the pool:
// the loop has others to serve.
constexpr size_t kManyObjects = 200;
// All warnings of one answer together, as upstream.
constexpr size_t kMostWarnings = 4096;

Status no_such_resource() {
  return {Reason::kNotFound, "the server could not find the requested resource"};
}

Status not_allowed() {
  return {Reason::kMethodNotAllowed,
          "the server does not allow this method on the requested resource"};
}

bool is_read(const Request& request) {
  using api::Verb;
  return request.verb == Verb::kList || request.verb == Verb::kGet;
}

// Whether it is stored objects that are asked for, seen whole: a subresource may be just that.
bool shows_objects(const Request& request) {
  if (request.resource->key_prefix.empty()) return false;
  return request.subresource == nullptr || request.subresource->type == request.resource->type;
}

// What can only be posted has no columns.
bool has_tables(const Request& request) {
  const api::Verbs verbs =
      request.subresource == nullptr ? request.resource->verbs : request.subresource->verbs;
  return verbs.has(api::Verb::kGet);
}

// What upstream tells those who still use the older kinds; empty for others.
std::string_view deprecation(const api::Resource& resource) {
  if (!resource.group.empty()) return {};
  if (resource.name == "componentstatuses") return "v1 ComponentStatus is deprecated in v1.19+";
  if (resource.name == "endpoints") {
    return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
  return {};
}

http::Response respond(int code, const Encoder& encoder, Bytes body) {
  http::Response response = json_response(code, std::move(body));
  response.headers.set("content-type", encoder.media.content_type(false));
  const std::string_view old = deprecation(*encoder.resource);
  if (!old.empty()) response.headers.add("warning", warning_header(old));
  return response;
}

void add_warnings(http::Response& response, const std::vector<std::string>& warnings) {
  size_t total = 0;
  for (const std::string& warning : warnings) {
    const std::string header = warning_header(warning);
    total += header.size();
    if (total > kMostWarnings) return;
    response.headers.add("warning", header);
  }
}

Result<Encoder> encoder_for(const Request& request, const http::RequestHead& head,
                            const http::Target& target, const Clock& clock) {
  const std::string* include = target.find("includeObject");
  Encoder encoder{.resource = request.resource, .media = {}, .clock = &clock};
  encoder.include = TRY(parse_include_object(include == nullptr ? "" : *include));
  encoder.media = TRY(choose_media(head.headers.get("accept"), request.verb == api::Verb::kWatch,
                                   has_tables(request)));
  return encoder;
}

Result<Bytes> encode_answer(const Outgoing& outgoing, const Encoder& encoder) {
  if (outgoing.object != nullptr) return encoder.object(outgoing.object);
  if (outgoing.list) return encoder.list(*outgoing.list);
  return encoder.document(outgoing.json, *outgoing.type);
}

}  // namespace resource_front

void ResourceFront::Call::respond(http::Response response) const {
  mark.end(response.status, response.body.size());
  resource_front::add_warnings(response, warnings);
  exchange->respond(std::move(response));
}

void ResourceFront::Call::respond(const Result<http::Response>& response) const {
  if (!response) return fail(response.status());
  respond(*response);
}

void ResourceFront::Call::fail(const Status& status) const {
  respond(status_response(status, exchange->request().headers.get("accept")));
}

void ResourceFront::handle(const http::ExchangePtr& exchange, const http::Target& target,
                           const Route& route, const User& user,
                           const std::vector<std::string>& warnings) {
  Result<Request> request = resolve(exchange->request().method, target, route, user);
  if (!request) {
    exchange->respond(status_response(request.status(), exchange->request().headers.get("accept")));
    return;
  }
  const Call call{exchange, metrics_.begin(*request, target.find("dryRun") != nullptr), warnings};
  run(call, std::move(*request), target);
}

Result<Request> ResourceFront::resolve(std::string_view method, const http::Target& target,
                                       const Route& route, const User& user) const {
  Request request;
  request.resource = context_.schema.find_resource(route.group, route.version, route.resource);
  if (request.resource == nullptr) return resource_front::no_such_resource();
  const api::Resource& resource = *request.resource;
  if (route.namespaced && !resource.namespaced) return resource_front::no_such_resource();
  // What the query of a proxied request means is not our business.
  if (route.subresource.empty()) TRY(list_options(target));
  const std::optional<api::Verb> verb = verb_of(method, route, asks_for_watch(target));
  if (!verb) return resource_front::not_allowed();
  request.verb = *verb;
  request.name_space = route.name_space;
  request.name = route.name;
  request.subpath = route.subpath;
  request.user = user;
  if (!route.subresource.empty()) {
    request.subresource = resource.find_subresource(route.subresource);
    if (request.subresource == nullptr) return resource_front::no_such_resource();
    if (!request.subresource->verbs.has(*verb)) return resource_front::not_allowed();
    return request;
  }
  // A namespace is needed to get at one object, and to change anything.
  const bool all_namespaces = resource.namespaced && !route.namespaced;
  if (all_namespaces && *verb != api::Verb::kList && *verb != api::Verb::kWatch) {
    return resource_front::not_allowed();
  }
  if (all_namespaces && !route.name.empty()) return resource_front::no_such_resource();
  if (*verb == api::Verb::kCreate && !route.name.empty()) return resource_front::not_allowed();
  const bool collection_verb = *verb == api::Verb::kUpdate || *verb == api::Verb::kPatch;
  if (collection_verb && route.name.empty()) return resource_front::not_allowed();
  if (!resource.verbs.has(*verb)) return resource_front::not_allowed();
  return request;
}

void ResourceFront::run(const Call& call, Request request, const http::Target& target) {
  if (connections_ != nullptr && connection_of(request)) {
    connections_->connect(call.exchange, context_, request, target, call.mark, pool_);
    return;
  }
  const Result<Encoder> encoder =
      resource_front::encoder_for(request, call.exchange->request(), target, context_.clock);
  if (!encoder) {
    call.fail(encoder.status());
    return;
  }
  if (request.verb == api::Verb::kWatch) {
    Result<ListOptions> options = list_options(target);
    if (!options) {
      call.fail(options.status());
      return;
    }
    answer_watch(call.exchange, context_.store,
                 {.request = std::move(request),
                  .options = std::move(*options),
                  .encoder = *encoder,
                  .mark = ended_with_holders(call.mark)},
                 context_.random);
  } else if (resource_front::is_read(request) && resource_front::shows_objects(request)) {
    read(call, request, target, *encoder);
  } else {
    write(call, std::move(request), *encoder);
  }
}

void ResourceFront::read(const Call& call, const Request& request, const http::Target& target,
                         const Encoder& encoder) {
  if (request.verb == api::Verb::kGet) {
    const std::string* version = target.find("resourceVersion");
    const Result<Bytes> body = [&]() -> Result<Bytes> {
      const store::EntryPtr entry =
          TRY(get_object(context_.store, request, version == nullptr ? "" : *version));
      return encoder.object(object_of(entry));
    }();
    if (!body) {
      call.fail(body.status());
    } else {
      call.respond(resource_front::respond(200, encoder, *body));
    }
    return;
  }
  Result<Listed> listed = [&]() -> Result<Listed> {
    const ListOptions options = TRY(list_options(target));
    const Selection selection =
        TRY(Selection::parse(*request.resource, options.label_selector, options.field_selector));
    return list_objects(context_.store, request, options, selection);
  }();
  if (!listed) {
    call.fail(listed.status());
    return;
  }
  const bool many = listed->entries.size() > resource_front::kManyObjects;
  const bool compressed = call.exchange->request().headers.accepts("accept-encoding", "gzip");
  if (many && !compressed && encoder.media.form == Form::kObject) {
    stream_list(call, std::move(*listed), encoder);
    return;
  }
  const auto answer = [listed = std::move(*listed), encoder]() -> Result<http::Response> {
    return resource_front::respond(200, encoder, TRY(encoder.list(listed)));
  };
  if (many) {
    submit(call, answer);
    return;
  }
  call.respond(answer());
}

void ResourceFront::stream_list(const Call& call, Listed listed, const Encoder& encoder) {
  const auto send = [call, encoder](Listed items) {
    auto message = ListMessage::make(*encoder.resource, std::move(items), encoder.media.encoding);
    if (!message) return call.fail(message.status());
    answer_list(call.exchange, {200, resource_front::respond(200, encoder, {}).headers},
                std::move(*message), [mark = call.mark](size_t bytes) { mark.end(200, bytes); });
  };
  if (!ListMessage::is_made_at_once(*encoder.resource, encoder.media.encoding)) {
    send(std::move(listed));
  } else if (!pool_.submit(
                 [send, listed = std::move(listed)]() mutable { send(std::move(listed)); })) {
    refuse(call);
  }
}

void ResourceFront::write(const Call& call, Request request, const Encoder& encoder) {
  call.exchange->read_body([this, call, request = std::move(request), encoder](Result<Bytes> body) {
    if (!body) {
      call.fail(body.status());
      return;
    }
    submit(call, [this, call, request, encoder, body = *body]() -> Result<http::Response> {
      const http::RequestHead& head = call.exchange->request();
      const http::Target target = TRY(http::parse_target(head.target));
      const Incoming incoming{.content_type = std::string(head.headers.get("content-type")),
                              .body = body,
                              .target = target};
      const Outgoing outgoing = TRY(run_write(context_, request, incoming));
      const Bytes bytes = TRY(resource_front::encode_answer(outgoing, encoder));
      http::Response response = resource_front::respond(outgoing.code, encoder, bytes);
      resource_front::add_warnings(response, outgoing.warnings);
      return response;
    });
  });
}

void ResourceFront::submit(const Call& call, std::function<Result<http::Response>()> task) {
  const bool taken = pool_.submit([call, task = std::move(task)] { call.respond(task()); });
  if (!taken) refuse(call);
}

void ResourceFront::refuse(const Call& call) {
  StatusDetails details;
  details.retry_after_seconds = 1;
  call.fail(Status(Reason::kTooManyRequests,
                   "The server has received too many requests and has asked us "
                   "to try again later")
                .with_details(std::move(details)));
}

}  // namespace proa::apiserver
