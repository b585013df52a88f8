#include "apiserver/front/local/local_client.h"

#include "apiserver/access/authz/attributes.h"
#include "apiserver/front/local/local_watch.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/resources/execute.h"
#include "apiserver/resources/write/remove.h"
#include "client/delete_options.h"

namespace proa::apiserver {
namespace local_client {

using client::ListQuery;
using client::Place;
using client::WatchQuery;

constexpr std::string_view kJson = "application/json";

Status not_allowed() {
  return {Reason::kMethodNotAllowed,
          "the server does not allow this method on the requested resource"};
}

Status no_such_resource() {
  return {Reason::kNotFound, "the server could not find the requested resource"};
}

bool is_about_one(const Request& request) {
  return request.verb != api::Verb::kList && request.verb != api::Verb::kWatch &&
         request.verb != api::Verb::kDeleteCollection;
}

// Whether it is the stored object itself that is shown.
bool shows_objects(const Request& request) {
  if (request.resource->key_prefix.empty()) return false;
  return request.subresource == nullptr || request.subresource->type == request.resource->type;
}

ListOptions list_options(const ListQuery& query) {
  ListOptions options;
  options.label_selector = query.label_selector;
  options.field_selector = query.field_selector;
  options.resource_version = query.resource_version;
  options.limit = query.limit;
  options.continue_token = query.continue_token;
  return options;
}

http::Target selecting(const ListQuery& query) {
  http::Target target;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) target.query.emplace_back(name, value);
  };
  add("labelSelector", query.label_selector);
  add("fieldSelector", query.field_selector);
  return target;
}

ListOptions list_options(const WatchQuery& query) {
  ListOptions options;
  options.label_selector = query.label_selector;
  options.field_selector = query.field_selector;
  options.resource_version = query.resource_version;
  options.watch = true;
  options.bookmarks = true;
  if (query.send_initial_events) {
    options.send_initial_events = true;
    options.match = VersionMatch::kNotOlderThan;
  }
  return options;
}

DeleteOptions delete_options(const client::RemoveChoices& choices) {
  return {.dry_run = choices.dry_run,
          .grace_seconds = choices.grace_seconds,
          .uid = choices.uid,
          .resource_version = choices.resource_version,
          .propagation = choices.propagation,
          .orphan_dependents = std::nullopt};
}

}  // namespace local_client

Result<Request> LocalClient::request(const client::Place& place, api::Verb verb,
                                     const std::string& fields, const std::string& labels) const {
  Request request;
  request.verb = verb;
  request.resource = place.resource;
  if (place.resource->namespaced) request.name_space = place.name_space;
  request.user = user_;
  const bool has_name = local_client::is_about_one(request) || verb == api::Verb::kWatch;
  const bool is_new = verb == api::Verb::kCreate && place.subresource.empty();
  if (has_name && !is_new) request.name = place.name;
  if (!place.subresource.empty()) {
    request.subresource = place.resource->find_subresource(place.subresource);
    if (request.subresource == nullptr) return local_client::no_such_resource();
    if (!request.subresource->verbs.has(verb)) return local_client::not_allowed();
  } else if (!place.resource->verbs.has(verb)) {
    return local_client::not_allowed();
  }
  // What is one object's, or changes something, has a namespace.
  const bool all_namespaces = place.resource->namespaced && request.name_space.empty();
  if (all_namespaces &&
      (local_client::is_about_one(request) || verb == api::Verb::kDeleteCollection)) {
    return local_client::not_allowed();
  }
  Selected selected;
  const Attributes attributes = attributes_of(request, fields, labels, selected);
  const Verdict verdict = context_.authorizer.authorize(attributes);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  return request;
}

Result<Outgoing> LocalClient::run(const Request& request, std::string_view content_type,
                                  std::string body, http::Target target) const {
  const Incoming incoming{
      .content_type = std::string(content_type), .body = Bytes(std::move(body)), .target = target};
  return run_write(context_, request, incoming);
}

Result<api::ObjectPtr> LocalClient::answer(const Request& request, const Outgoing& outgoing) const {
  if (outgoing.object != nullptr) {
    return served_form(outgoing.object, *request.resource);
  }
  return api::Object::make(outgoing.json);
}

Result<api::ObjectPtr> LocalClient::get(const client::Place& place) {
  const Request asked = TRY(request(place, api::Verb::kGet));
  if (!local_client::shows_objects(asked)) {
    const Outgoing outgoing = TRY(run(asked, "", "", {}));
    return answer(asked, outgoing);
  }
  const store::EntryPtr entry = TRY(get_object(context_.store, asked, ""));
  return served_form(object_of(entry), *asked.resource);
}

// From the store, or from whoever makes up what is not stored.
Result<Listed> LocalClient::find_all(const Request& request, const client::ListQuery& query) const {
  if (local_client::shows_objects(request)) {
    const Selection selection =
        TRY(Selection::parse(*request.resource, query.label_selector, query.field_selector));
    return list_objects(context_.store, request, local_client::list_options(query), selection);
  }
  Outgoing outgoing = TRY(run(request, "", "", local_client::selecting(query)));
  if (!outgoing.list) return local_client::not_allowed();
  return std::move(*outgoing.list);
}

Result<client::ObjectList> LocalClient::list(const client::Place& place,
                                             const client::ListQuery& query) {
  const Request asked =
      TRY(request(place, api::Verb::kList, query.field_selector, query.label_selector));
  const Listed listed = TRY(find_all(asked, query));
  client::ObjectList found{.items = {},
                           .resource_version = std::to_string(listed.revision.value),
                           .continue_token = listed.continue_token};
  found.items.reserve(listed.entries.size());
  for (const store::EntryPtr& entry : listed.entries) {
    found.items.push_back(TRY(served_form(object_of(entry), *asked.resource)));
  }
  return found;
}

Result<std::unique_ptr<client::Watch>> LocalClient::watch(const client::Place& place,
                                                          const client::WatchQuery& query) {
  const Request asked =
      TRY(request(place, api::Verb::kWatch, query.field_selector, query.label_selector));
  return LocalWatch::open(context_.store, clock_, asked, local_client::list_options(query));
}

Result<api::ObjectPtr> LocalClient::write(const client::Place& place, api::Verb verb,
                                          std::string_view content_type, std::string body,
                                          const client::WriteChoices& choices) const {
  const Request asked = TRY(request(place, verb));
  http::Target target;
  // Nobody would hear the warnings.
  target.query.emplace_back("fieldValidation", "Ignore");
  if (choices.dry_run) target.query.emplace_back("dryRun", "All");
  if (!choices.field_manager.empty()) {
    target.query.emplace_back("fieldManager", choices.field_manager);
  }
  const Outgoing outgoing = TRY(run(asked, content_type, std::move(body), std::move(target)));
  return answer(asked, outgoing);
}

Result<api::ObjectPtr> LocalClient::create(const client::Place& place, std::string object,
                                           const client::WriteChoices& choices) {
  return write(place, api::Verb::kCreate, local_client::kJson, std::move(object), choices);
}

Result<api::ObjectPtr> LocalClient::update(const client::Place& place, std::string object,
                                           const client::WriteChoices& choices) {
  return write(place, api::Verb::kUpdate, local_client::kJson, std::move(object), choices);
}

Result<api::ObjectPtr> LocalClient::patch(const client::Place& place, api::PatchType type,
                                          std::string patch, const client::WriteChoices& choices) {
  return write(place, api::Verb::kPatch, api::content_type_of(type), std::move(patch), choices);
}

Result<void> LocalClient::remove(const client::Place& place, const client::RemoveChoices& choices) {
  const Request asked = TRY(request(place, api::Verb::kDelete));
  if (asked.subresource == nullptr && local_client::shows_objects(asked)) {
    TRY(remove_object(context_, asked, local_client::delete_options(choices)));
    return {};
  }
  TRY(run(asked, local_client::kJson, client::delete_options_json(choices), {}));
  return {};
}

Result<void> LocalClient::remove_collection(const client::Place& place,
                                            const client::ListQuery& query,
                                            const client::RemoveChoices& choices) {
  const Request asked =
      TRY(request(place, api::Verb::kDeleteCollection, query.field_selector, query.label_selector));
  TRY(run(asked, local_client::kJson, client::delete_options_json(choices),
          local_client::selecting(query)));
  return {};
}

}  // namespace proa::apiserver
