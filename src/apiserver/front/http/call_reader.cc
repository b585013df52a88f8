#include "apiserver/front/http/call_reader.h"

#include "apiserver/request/failures.h"
#include "apiserver/request/resolve.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/body.h"
#include "json/print.h"

namespace proa::apiserver {
namespace call_reader {

// DeleteOptions come in the body, under the group and version of the deleted resource, or in the
// query.
Result<DeleteOptions> read_delete_options(const ApiContext& context, const HttpRequest& http,
                                          const Payload& payload) {
  const http::Target& target = http.target();
  if (payload.bytes.empty()) return delete_options(target);
  const api::Type& type = *context.schema.find_kind("v1", "DeleteOptions");
  const json::Document document = TRY(decode_any_version(payload, type, context.schema));
  if (http.audit() != nullptr && http.audit()->wants_object())
    http.audit()->note_object(json::print(document.root()), payload.budget);
  DeleteOptions options = TRY(delete_options(api::View(document.root())));
  if (is_dry_run(target)) {
    options.dry_run = options.dry_run || TRY(delete_options(target)).dry_run;
  }
  return options;
}

// REQUIRES: the verb selects.
Result<ListOptions> list_options(const HttpRequest& http) {
  // The query of a subresource was not read before.
  ListOptions options = http.selecting() ? TRY(Result<ListOptions>(*http.selecting()))
                                         : TRY(read_list_options(http.target()));
  TRY(check_list_options(http.target(), options));
  return options;
}

Result<Options> read_options(const ApiContext& context, api::Verb verb, const HttpRequest& http,
                             const Payload& payload) {
  const http::Target& target = http.target();
  switch (verb) {
    case api::Verb::kList:
    case api::Verb::kWatch:
      return Options(TRY(list_options(http)));
    case api::Verb::kCreate:
    case api::Verb::kUpdate:
    case api::Verb::kPatch: {
      WriteOptions write = TRY(write_options(target, verb));
      write.default_manager = manager_of_agent(http.head().headers.get("user-agent"));
      return Options(std::move(write));
    }
    case api::Verb::kDelete:
      return Options(TRY(read_delete_options(context, http, payload)));
    case api::Verb::kDeleteCollection: {
      ListOptions select = TRY(list_options(http));
      DeleteOptions remove = TRY(read_delete_options(context, http, payload));
      return Options(DeleteCollectionOptions{std::move(select), std::move(remove)});
    }
    case api::Verb::kGet:
      break;
  }
  const std::string* version = target.find("resourceVersion");
  return Options(GetOptions{version == nullptr ? std::string() : *version});
}

}  // namespace call_reader

Result<Request> read_request(const ApiContext& context, const HttpRequest& http, UserPtr user) {
  const Route& route = *http.route();
  const ResourcePtr resource = find_resource(context, route.group, route.version, route.resource);
  // Also if the namespace is empty, which an address does not tell from none.
  if (route.namespaced && resource != nullptr && !resource->namespaced) return no_such_resource();
  const Address address{.resource = resource,
                        .subresource = route.subresource,
                        .name_space = route.name_space,
                        .name = route.name};
  std::optional<api::Verb> verb = http.verb();
  // OPTIONS is no verb of ours, but proxies pass it on. It was authorized as what it is.
  if (!verb && http.head().method == "OPTIONS" && route.subresource == "proxy") {
    verb = api::Verb::kGet;
  }
  Request request = TRY(resolve(address, verb, std::move(user)));
  request.subpath = route.subpath;
  request.until = Until::after(context.clock, http.timeout());
  return request;
}

Result<Call> read_call(const ApiContext& context, Request request, const HttpRequest& http,
                       Bytes body) {
  Payload payload{.content_type = std::string(http.head().headers.get("content-type")),
                  .bytes = std::move(body)};
  payload.budget = budget_of(context, request);
  Options options = TRY(call_reader::read_options(context, request.verb, http, payload));
  return Call{std::move(request), std::move(options), std::move(payload)};
}

}  // namespace proa::apiserver
