#include "apiserver/front/http/resource_front.h"

#include "apiserver/front/http/call_reader.h"
#include "apiserver/front/http/list_answer.h"
#include "apiserver/front/http/watch_answer.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/execute.h"
#include "apiserver/streaming/connections.h"

namespace proa::apiserver {
namespace resource_front {

// Lists of more objects that need encoding run on the pool, so that they do not block the loop.
constexpr size_t kManyObjects = 200;
// Upstream's limit of all warnings in a response.
constexpr size_t kMaxWarnings = 4096;
// The status recorded for clients that disconnected before a response, as for forwarded requests.
constexpr int kClientGone = 503;

// Resources that can only be posted have no columns.
bool has_tables(const Request& request) {
  const api::Verbs verbs =
      request.subresource == nullptr ? request.resource->verbs : request.subresource->verbs;
  return verbs.has(api::Verb::kGet);
}

http::Response respond(int code, const Encoder& encoder, Bytes body) {
  http::Response response = json_response(code, std::move(body));
  response.headers.set("content-type", encoder.media.content_type(false));
  const std::string_view deprecation = encoder.resource->deprecation;
  if (!deprecation.empty()) response.headers.add("warning", warning_header(deprecation));
  return response;
}

void add_warnings(http::Response& response, const std::vector<std::string>& warnings) {
  size_t total = 0;
  for (const std::string& warning : warnings) {
    const std::string header = warning_header(warning);
    total += header.size();
    if (total > kMaxWarnings) return;
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

Result<Bytes> encode_answer(const Answer& answer, const Encoder& encoder) {
  if (answer.object != nullptr) return encoder.object(answer.object);
  if (answer.list) return encoder.list(*answer.list);
  return encoder.document(answer.json, *answer.type);
}

}  // namespace resource_front

void ResourceFront::Reply::respond(http::Response response) const {
  mark.end(response.status, response.body.size());
  resource_front::add_warnings(response, warnings);
  http->exchange().respond(std::move(response));
}

void ResourceFront::Reply::respond(const Result<http::Response>& response) const {
  if (!response) return fail(response.status());
  respond(*response);
}

void ResourceFront::Reply::fail(const Status& status) const {
  respond(status_response(status, http->head().headers.get("accept")));
}

void ResourceFront::Reply::refuse() const {
  http::Response response = too_many_requests_response();
  mark.end_in_defense(response.status, response.body.size());
  http->exchange().respond(std::move(response));
}

void ResourceFront::Reply::fail_body(const Status& status) const {
  if (status.is(Reason::kTooManyRequests)) return refuse();
  if (!status.is(Reason::kTimeout)) return fail(status);
  http::Response response = status_response(status, http->head().headers.get("accept"));
  mark.end_in_defense(response.status, response.body.size());
  http->exchange().respond(std::move(response));
}

void ResourceFront::handle(const HttpRequestPtr& http, const User& user,
                           std::vector<std::string> warnings) {
  Result<Request> request = read_request(context_, *http, user);
  if (!request) {
    // Not counted: the path is arbitrary.
    const Reply uncounted{http, {}, {}};
    return uncounted.fail(request.status());
  }
  const Reply reply{http, metrics_.begin(*request, is_dry_run(http->target())),
                    std::move(warnings)};
  run(reply, std::move(*request));
}

void ResourceFront::run(const Reply& reply, Request request) {
  const HttpRequest& http = *reply.http;
  if (connections_ != nullptr && connection_of(request)) {
    connections_->connect(http.exchange_ptr(), context_, request, http.target(), reply.mark, pool_);
    return;
  }
  const Result<Encoder> encoder =
      resource_front::encoder_for(request, http.head(), http.target(), context_.clock);
  if (!encoder) return reply.fail(encoder.status());
  const bool watches = request.verb == api::Verb::kWatch;
  if (!watches && !answers_from_memory(request)) return write(reply, std::move(request), *encoder);
  Result<Call> call = read_call(context_, std::move(request), http, {});
  if (!call) return reply.fail(call.status());
  if (watches) return watch(reply, std::move(*call), *encoder);
  read(reply, std::move(*call), *encoder);
}

void ResourceFront::watch(const Reply& reply, Call call, const Encoder& encoder) {
  ListOptions options = call.list();
  answer_watch(reply.http->exchange_ptr(), context_.store,
               {.request = std::move(call.request),
                .options = std::move(options),
                .encoder = encoder,
                .mark = ended_with_last_reference(reply.mark)},
               context_.random);
}

void ResourceFront::read(const Reply& reply, Call call, const Encoder& encoder) {
  const bool exempt = call.request.verb == api::Verb::kList && is_exempt(call.request);
  Result<Answer> answer = execute(context_, std::move(call));
  if (!answer) return reply.fail(answer.status());
  if (answer->list) return send_list(reply, std::move(*answer->list), encoder, exempt);
  const Result<Bytes> body = encoder.object(answer->object);
  if (!body) return reply.fail(body.status());
  reply.respond(resource_front::respond(200, encoder, *body));
}

void ResourceFront::send_list(const Reply& reply, Listed listed, const Encoder& encoder,
                              bool exempt) {
  const bool many = listed.entries.size() > resource_front::kManyObjects;
  const bool compressed = reply.http->head().headers.accepts("accept-encoding", "gzip");
  if (many && !compressed && encoder.media.form == Form::kObject) {
    return stream_list(reply, std::move(listed), encoder, exempt);
  }
  const auto encode = [encoder](const Listed& items,
                                const std::stop_token& stop) -> Result<http::Response> {
    return resource_front::respond(200, encoder, TRY(encoder.list(items, stop)));
  };
  if (!many) return reply.respond(encode(listed, {}));
  const std::stop_token stop = reply.http->exchange().stop_token();
  submit(reply, {.exempt = exempt}, [reply, encode, stop, listed = std::move(listed)] {
    reply.respond(encode(listed, stop));
  });
}

void ResourceFront::stream_list(const Reply& reply, Listed listed, const Encoder& encoder,
                                bool exempt) {
  const auto send = [reply, encoder](Listed items) {
    auto message = ListMessage::make(*encoder.resource, std::move(items), encoder.media.encoding);
    if (!message) return reply.fail(message.status());
    answer_list(reply.http->exchange_ptr(),
                {200, resource_front::respond(200, encoder, {}).headers}, std::move(*message),
                [mark = reply.mark](size_t bytes) { mark.end(200, bytes); });
  };
  if (!ListMessage::is_made_at_once(*encoder.resource, encoder.media.encoding)) {
    return send(std::move(listed));
  }
  submit(reply, {.exempt = exempt},
         [send, listed = std::move(listed)]() mutable { send(std::move(listed)); });
}

void ResourceFront::write(const Reply& reply, Request request, const Encoder& encoder) {
  http::Exchange& exchange = reply.http->exchange();
  request.until.stop = exchange.stop_token();
  const Work work{in_flight_kind(request.verb), is_exempt(request)};
  // Also before its body is read, which takes memory.
  if (!work.exempt && !in_flight_.has_place(work.kind)) return reply.refuse();
  const std::string payer = request.user.name;
  exchange.read_body(
      [this, reply, work, request = std::move(request), encoder](Result<Bytes> body) {
        if (!body) return reply.fail_body(body.status());
        submit(reply, work, [this, reply, request, encoder, body = *body] {
          reply.respond(run_write(reply, request, encoder, body));
        });
      },
      payer);
}

Result<http::Response> ResourceFront::run_write(const Reply& reply, const Request& request,
                                                const Encoder& encoder, const Bytes& body) {
  TRY(check_time(request.until, context_.clock));
  Call call = TRY(read_call(context_, request, *reply.http, body));
  const Answer answer = TRY(execute(context_, std::move(call)));
  const Bytes bytes = TRY(resource_front::encode_answer(answer, encoder));
  http::Response response = resource_front::respond(answer.code, encoder, bytes);
  resource_front::add_warnings(response, answer.warnings);
  return response;
}

void ResourceFront::submit(const Reply& reply, const Work& work, std::function<void()> task) {
  if (!reply.http->enter(in_flight_.take(work.kind, work.exempt))) return reply.refuse();
  const bool taken = pool_.submit([reply, task = std::move(task)] {
    if (reply.http->exchange().is_closed()) {
      reply.mark.end(resource_front::kClientGone, 0);
    } else {
      task();
    }
  });
  if (!taken) reply.refuse();
}

}  // namespace proa::apiserver
