#include "apiserver/front/http/resource_front.h"

#include <algorithm>

#include "apiserver/front/http/call_reader.h"
#include "apiserver/front/http/list_answer.h"
#include "apiserver/front/http/watch_answer.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/front/paths/pretty.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/representation/status.h"
#include "apiserver/representation/warnings.h"
#include "apiserver/representation/yaml.h"
#include "apiserver/request/failures.h"
#include "apiserver/request/verbs.h"
#include "apiserver/resources/execute.h"
#include "apiserver/streaming/connections.h"
#include "base/threads/guarded.h"

namespace proa::apiserver {
namespace resource_front {

// Lists of more objects that need encoding run on the pool, so that they do not block the loop.
constexpr size_t kManyObjects = 200;
// The status recorded for clients that disconnected before a response, as for forwarded requests.
constexpr int kClientGone = 503;

// Upstream has no routes for paths of unknown groups.
bool is_known_group(const ApiContext& context, std::string_view group) {
  if (context.catalogue != nullptr) return context.catalogue->has_group(group);
  return std::ranges::any_of(context.schema.resources(),
                             [&](const api::Resource* each) { return each->group == group; });
}

// Resources that can only be posted have no columns.
bool has_tables(const Request& request) {
  const api::Verbs verbs =
      request.subresource == nullptr ? request.resource->verbs : request.subresource->verbs;
  return verbs.has(api::Verb::kGet);
}

// As upstream: neither custom objects have a message, nor their Scales.
bool has_protobuf(const Request& request) {
  return !request.resource->custom && request.resource->type->has_proto;
}

// Whether the answer has the requested form, as far as that is known before anything is written.
Result<void> check_form(const Request& request, const Encoder& encoder) {
  const bool part =
      request.subresource != nullptr && request.subresource->type != request.resource->type;
  if (part || request.resource->key_prefix.empty()) return {};
  switch (request.verb) {
    case api::Verb::kCreate:
    case api::Verb::kUpdate:
    case api::Verb::kPatch:
      return encoder.check_object_form();
    case api::Verb::kDeleteCollection:
      return encoder.check_list_form();
    default:
      return {};
  }
}

// About, and as it is stored.
bool is_longer_than(size_t most, const Listed& listed) {
  size_t bytes = 0;
  return std::ranges::any_of(listed.entries, [&](const store::EntryPtr& entry) {
    bytes += entry->value().size();
    return bytes > most;
  });
}

// Whether the objects have to be read to find those that are asked for, which takes long.
bool searches_objects(const Call& call) {
  if (!call.request.resource->custom || !selects(call.request.verb)) return false;
  const ListOptions& options = call.list();
  if (options.fields.matches_everything()) return false;
  const Result<Selection> selection =
      Selection::make(*call.request.resource, options.labels, options.fields);
  return selection.ok() && selection->reads_objects();
}

http::Response respond(int code, const Encoder& encoder, Bytes body) {
  if (encoder.media.encoding == Encoding::kJson) return json_response(code, std::move(body));
  const bool yaml = encoder.media.encoding == Encoding::kYaml;
  http::Response response = json_response(code, yaml ? as_yaml(std::move(body)) : std::move(body));
  response.headers.set("content-type", encoder.media.content_type(false));
  return response;
}

Result<http::Response> respond(const Encoder& encoder, const api::ObjectPtr& object) {
  return respond(200, encoder, TRY(encoder.object(object)));
}

Result<Encoder> encoder_for(const Request& request, const http::RequestHead& head,
                            const http::Target& target, const Clock& clock) {
  const std::string* include = target.find("includeObject");
  Encoder encoder{.resource = request.resource, .media = {}, .clock = &clock};
  encoder.include = TRY(parse_include_object(include == nullptr ? "" : *include));
  const bool watches = request.verb == api::Verb::kWatch;
  const std::string_view accept = head.headers.get("accept");
  // Upstream's router does not know custom resources.
  if (!request.resource->custom)
    TRY(check_produced(accept, watches || request.verb == api::Verb::kList));
  encoder.media = TRY(choose_media(
      accept, watches, {.tables = has_tables(request), .protobuf = has_protobuf(request)}));
  TRY(check_form(request, encoder));
  return encoder;
}

Result<Bytes> encode_answer(const Answer& answer, const Encoder& encoder) {
  if (answer.object != nullptr) return encoder.object(answer.object);
  if (answer.list) return encoder.list(*answer.list);
  return encoder.document(answer.json, *answer.type);
}

}  // namespace resource_front

void ResourceFront::Reply::respond(http::Response response) const {
  if (http->pretty()) make_pretty(response);
  mark.end(response.status, response.body.size());
  add_warnings(response.headers, *warnings);
  http->exchange().respond(std::move(response));
}

void ResourceFront::Reply::respond(Result<http::Response> response) const {
  if (!response) return fail(response.status());
  respond(std::move(*response));
}

void ResourceFront::Reply::fail(const Status& status) const {
  respond(status_response(status, http->head().headers.get("accept")));
}

void ResourceFront::Reply::refuse() const { refuse(too_many_requests_response()); }

void ResourceFront::Reply::refuse(http::Response response) const {
  mark.end_in_defense(response.status, response.body.size());
  http->exchange().respond(std::move(response));
}

void ResourceFront::Reply::abandon() const { mark.end(resource_front::kClientGone, 0); }

void ResourceFront::Reply::fail_body(const Status& status) const {
  if (status.is(Reason::kTooManyRequests)) return refuse();
  if (!status.is(Reason::kTimeout)) return fail(status);
  http::Response response = status_response(status, http->head().headers.get("accept"));
  mark.end_in_defense(response.status, response.body.size());
  http->exchange().respond(std::move(response));
}

void ResourceFront::handle(const HttpRequestPtr& http, UserPtr user,
                           std::vector<std::string> warnings) {
  const UserPtr caller = user;
  Result<Request> request = read_request(context_, *http, std::move(user));
  if (!request) {
    // Not counted: the path is arbitrary.
    const Reply uncounted{http, {}, std::make_shared<Warnings>()};
    gate_.name_flow(*http, *caller);
    if (!resource_front::is_known_group(context_, http->route()->group))
      return uncounted.respond(text_response(404, "404 page not found\n"));
    return uncounted.fail(request.status());
  }
  request->audit = http->audit();
  request->trace = http->trace();
  const std::string_view deprecation = request->resource->deprecation;
  if (!deprecation.empty()) {
    warnings.emplace_back(deprecation);
    if (request->audit != nullptr) request->audit->annotate("k8s.io/deprecated", "true");
  }
  const Reply reply{http, metrics_.begin(*request, is_dry_run(http->target())),
                    std::make_shared<Warnings>(std::move(warnings))};
  run(reply, std::move(*request));
}

template <typename Run>
void ResourceFront::pass(const Reply& reply, const UserPtr& user, const ResourcePtr& resource,
                         Run run) {
  gate_.pass(reply.http, *user, resource.get(), std::move(run),
             [reply](std::optional<http::Response> response) {
               if (!response) return reply.abandon();
               reply.refuse(std::move(*response));
             });
}

void ResourceFront::fail_early(const Reply& reply, const User& user, const Status& status) {
  gate_.name_flow(*reply.http, user);
  reply.fail(status);
}

void ResourceFront::run(const Reply& reply, Request request) {
  const HttpRequest& http = *reply.http;
  if (connections_ != nullptr && connection_of(request)) {
    connections_->connect(http.exchange_ptr(), context_, request, http.target(), reply.mark,
                          pools_.workers);
    return;
  }
  const Result<Encoder> encoder =
      resource_front::encoder_for(request, http.head(), http.target(), context_.clock);
  if (!encoder) return fail_early(reply, *request.user, encoder.status());
  const bool watches = request.verb == api::Verb::kWatch;
  if (!watches && !answers_from_memory(request)) return write(reply, std::move(request), *encoder);
  const UserPtr user = request.user;
  Result<Call> call = read_call(context_, std::move(request), http, {});
  if (!call) return fail_early(reply, *user, call.status());
  if (!watches && resource_front::searches_objects(*call))
    return write(reply, std::move(call->request), *encoder);
  const ResourcePtr resource = call->request.resource;
  pass(reply, user, resource, [this, reply, call = std::move(*call), encoder = *encoder]() mutable {
    if (!needs_newest(context_.store, call)) return answer(reply, std::move(call), encoder);
    const auto kept = std::make_shared<Call>(std::move(call));
    context_.store.catch_up([this, reply, kept, encoder](const Result<void>& done) {
      http::continue_later(reply.http->exchange_ptr(), [this, reply, kept, encoder, done] {
        if (reply.http->exchange().is_closed()) return reply.abandon();
        if (!done) return reply.fail(done.status());
        answer(reply, std::move(*kept), encoder);
      });
    });
  });
}

void ResourceFront::answer(const Reply& reply, Call call, const Encoder& encoder) {
  if (call.request.verb == api::Verb::kWatch) return watch(reply, std::move(call), encoder);
  read(reply, std::move(call), encoder);
}

void ResourceFront::watch(const Reply& reply, Call call, const Encoder& encoder) {
  ListOptions options = call.list();
  // Before the head of the response is sent.
  const Result<Selection> selection =
      Selection::make(*call.request.resource, options.labels, options.fields);
  if (!selection) return reply.fail(selection.status());
  std::stop_token replaced;
  if (call.request.resource->custom)
    replaced = custom::custom_resource(*call.request.resource).definition().replaced();
  WorkerPool* const pool = call.request.resource->custom ? &pools_.workers : nullptr;
  std::shared_ptr<void> counted = gate_.count_watch(*reply.http, *call.request.user);
  const bool reads_on_pool = may_ask_webhook(*call.request.resource) || selection->reads_objects();
  const bool many = WatchCursor::begins_with_objects(options) && !selection->only_name() &&
                    gate_.has_many(*call.request.resource);
  answer_watch(reply.http->exchange_ptr(), context_.store,
               {.request = std::move(call.request),
                .options = std::move(options),
                .encoder = encoder,
                .mark = ended_with_last_reference(reply.mark),
                .warnings = *reply.warnings,
                .counted = std::move(counted),
                .seats = gate_.take_seats(*reply.http, HttpRequest::kLongest),
                .replaced = std::move(replaced),
                .pool = pool,
                .opened_by = many ? &pools_.readers : nullptr,
                .reads_on_pool = reads_on_pool},
               context_.random);
}

void ResourceFront::read(const Reply& reply, Call call, const Encoder& encoder) {
  // Long lists are found by a search through memory, which others must not wait for.
  if (call.request.verb == api::Verb::kList && gate_.has_many(*call.request.resource))
    return read_list(reply, std::move(call), encoder);
  // Both are printed anew from the whole answer.
  const bool pretty = reply.http->pretty() || encoder.media.encoding == Encoding::kYaml;
  const bool exempt =
      (pretty || call.request.verb == api::Verb::kList || encoder.resource->custom) &&
      is_exempt(call.request);
  Result<Answer> answer = execute(context_, std::move(call));
  if (!answer) return reply.fail(answer.status());
  if (answer->list) return send_list(reply, std::move(*answer->list), encoder, exempt);
  if (!pretty && !encoder.is_slow(*answer->object))
    return reply.respond(resource_front::respond(encoder, answer->object));
  submit(reply, {.exempt = exempt}, [reply, encoder, object = std::move(answer->object)] {
    reply.respond(resource_front::respond(encoder, object));
  });
}

void ResourceFront::read_list(const Reply& reply, Call call, const Encoder& encoder) {
  const bool exempt = is_exempt(call.request);
  const auto kept = std::make_shared<Call>(std::move(call));
  submit(reply, {.exempt = exempt, .only_computes = true}, [this, reply, kept, encoder, exempt] {
    Result<Answer> answer = execute(context_, std::move(*kept));
    // Sent from the loop, which knows how much the client has read.
    http::continue_later(reply.http->exchange_ptr(),
                         [this, reply, encoder, exempt, answer = std::move(answer)]() mutable {
                           if (!answer) return reply.fail(answer.status());
                           if (answer->list)
                             return send_list(reply, std::move(*answer->list), encoder, exempt);
                           reply.respond(resource_front::respond(encoder, answer->object));
                         });
  });
}

void ResourceFront::send_list(const Reply& reply, Listed listed, const Encoder& encoder,
                              bool exempt) {
  const bool indented =
      reply.http->pretty() && !resource_front::is_longer_than(kMostPretty, listed);
  const bool pretty = indented || encoder.media.encoding == Encoding::kYaml;
  const bool many =
      pretty || listed.entries.size() > resource_front::kManyObjects || encoder.is_slow(listed);
  const bool compressed = reply.http->head().headers.accepts("accept-encoding", "gzip");
  const bool streamed = !compressed && !pretty;
  if (many && streamed && encoder.media.form == Form::kObject) {
    return stream_list(reply, std::move(listed), encoder, exempt);
  }
  const auto encode = [encoder](const Listed& items,
                                const std::stop_token& stop) -> Result<http::Response> {
    return resource_front::respond(200, encoder, TRY(encoder.list(items, stop)));
  };
  if (!many) return reply.respond(encode(listed, {}));
  const std::stop_token stop = reply.http->exchange().stop_token();
  const Work work{.exempt = exempt, .only_computes = !may_ask_webhook(*encoder.resource)};
  submit(reply, work, [reply, encode, stop, listed = std::move(listed)] {
    reply.respond(encode(listed, stop));
  });
}

void ResourceFront::stream_list(const Reply& reply, Listed listed, const Encoder& encoder,
                                bool exempt) {
  const auto send = [this, reply, encoder](Listed items) {
    auto message = ListMessage::make(encoder.resource, std::move(items), encoder.media.encoding);
    if (!message) return reply.fail(message.status());
    http::ResponseHead head{200, resource_front::respond(200, encoder, {}).headers};
    add_warnings(head.headers, *reply.warnings);
    // The client's timeout does not end what is being sent.
    reply.http->exchange().loop().run(
        [this, http = reply.http] { gate_.hold_until_sent(*http, HttpRequest::kLongest); });
    answer_list(reply.http->exchange_ptr(), std::move(head), std::move(*message),
                [mark = reply.mark](size_t bytes) { mark.end(200, bytes); });
  };
  if (!ListMessage::is_made_at_once(*encoder.resource, listed, encoder.media.encoding)) {
    return send(std::move(listed));
  }
  const Work work{.exempt = exempt, .only_computes = !may_ask_webhook(*encoder.resource)};
  submit(reply, work, [send, reply, listed = std::move(listed)]() mutable {
    const auto sent = guarded([&] { send(std::move(listed)); });
    if (!sent) reply.http->exchange().abort();
  });
}

void ResourceFront::write(const Reply& reply, Request request, const Encoder& encoder) {
  http::Exchange& exchange = reply.http->exchange();
  request.until.stop = exchange.stop_token();
  const Work work{in_flight_kind(request.verb), is_exempt(request)};
  // Also before its body is read, which takes memory.
  if (!work.exempt && !in_flight_.has_place(work.kind)) {
    gate_.name_flow(*reply.http, *request.user);
    return reply.refuse();
  }
  const std::string payer = request.user->name;
  exchange.read_body(
      [this, reply, work, request = std::move(request), encoder](Result<Bytes> body) {
        if (!body) {
          gate_.name_flow(*reply.http, *request.user);
          return reply.fail_body(body.status());
        }
        // Now: slow clients hold no seats while their body arrives.
        pass(reply, request.user, request.resource,
             [this, reply, work, request, encoder, body = *body] {
               submit(reply, work, [this, reply, request, encoder, body] {
                 reply.respond(run_write(reply, request, encoder, body));
               });
             });
      },
      payer);
}

Result<http::Response> ResourceFront::run_write(const Reply& reply, const Request& request,
                                                const Encoder& encoder, const Bytes& body) {
  TRY(check_time(request.until, context_.clock));
  Call call = TRY(read_call(context_, request, *reply.http, body));
  call.request.warnings = reply.warnings.get();
  TRY(wait_for_newest(context_, call));
  const Answer answer = TRY(execute(context_, std::move(call)));
  const TraceStep step(request.trace.get(), "SerializeObject");
  const Bytes bytes = TRY(resource_front::encode_answer(answer, encoder));
  return resource_front::respond(answer.code, encoder, bytes);
}

void ResourceFront::submit(const Reply& reply, const Work& work, std::function<void()> task) {
  if (!reply.http->enter(in_flight_.take(work.kind, work.exempt))) return reply.refuse();
  WorkerPool& pool = work.only_computes ? pools_.readers : pools_.workers;
  const bool taken = pool.submit([reply, task = std::move(task)] {
    if (reply.http->exchange().is_closed()) {
      reply.abandon();
    } else {
      const auto done = guarded(task);
      if (done) return;
      if (reply.http->audit() != nullptr) reply.http->audit()->panicked(done.status());
      reply.fail(done.status());
    }
  });
  if (!taken) reply.refuse();
}

}  // namespace proa::apiserver
