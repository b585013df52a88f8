#include "apiserver/front/local/local_client.h"

#include "apiserver/access/authz/attributes.h"
#include "apiserver/front/audit/record.h"
#include "apiserver/front/local/local_watch.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/representation/encode.h"
#include "apiserver/request/failures.h"
#include "apiserver/request/resolve.h"
#include "apiserver/request/verbs.h"
#include "apiserver/resources/execute.h"
#include "apiserver/resources/managed/managed.h"

namespace proa::apiserver {
namespace local_client {

using client::ListQuery;
using client::Place;
using client::WatchQuery;

// Whether the verb addresses a single object rather than a collection.
bool is_about_one(api::Verb verb) {
  return verb != api::Verb::kList && verb != api::Verb::kDeleteCollection;
}

Result<ListOptions> list_options(const ListQuery& query) {
  ListOptions options;
  options.labels = TRY(api::LabelSelector::parse(query.label_selector));
  options.fields = TRY(api::FieldSelector::parse(query.field_selector));
  options.resource_version = query.resource_version;
  options.limit = query.limit;
  options.continue_token = query.continue_token;
  return options;
}

Result<ListOptions> list_options(const WatchQuery& query) {
  ListOptions options;
  options.labels = TRY(api::LabelSelector::parse(query.label_selector));
  options.fields = TRY(api::FieldSelector::parse(query.field_selector));
  options.resource_version = query.resource_version;
  options.watch = true;
  options.bookmarks = true;
  if (query.send_initial_events) {
    options.send_initial_events = true;
    options.match = VersionMatch::kNotOlderThan;
  }
  return options;
}

// The manager of what upstream's component writes: the name of its program.
std::string manager_of(const User& user) {
  constexpr std::string_view kPrefix = "system:";
  std::string_view name = user.name;
  if (name.starts_with("system:node:")) return "kubelet";
  if (name == "system:apiserver") return std::string(kServerManager);
  if (name.starts_with("system:serviceaccount:kube-system:"))
    return std::string(kControllersManager);
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return std::string(name);
}

// Components do not read warnings, so unknown fields are dropped silently.
WriteOptions write_options(const client::WriteChoices& choices, const User& user) {
  return {.dry_run = choices.dry_run,
          .force = std::nullopt,
          .field_manager = choices.field_manager,
          .default_manager = manager_of(user),
          .validation = api::FieldValidation::kIgnore};
}

DeleteOptions delete_options(const client::RemoveChoices& choices) {
  return {.dry_run = choices.dry_run,
          .grace_seconds = choices.grace_seconds,
          .uid = choices.uid,
          .resource_version = choices.resource_version,
          .propagation = choices.propagation,
          .orphan_dependents = std::nullopt};
}

// What other processes say of themselves.
constexpr std::string_view kAgent = "proa (in-process)";

// Where a client of another process would send the request.
std::string uri_of(const Request& request) {
  const api::Resource& resource = *request.resource;
  std::string uri = resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  uri += resource.version;
  if (!request.name_space.empty()) uri += "/namespaces/" + request.name_space;
  uri.append("/").append(resource.name);
  if (!request.name.empty()) uri += "/" + request.name;
  if (request.subresource != nullptr) uri.append("/").append(request.subresource->name);
  if (request.verb == api::Verb::kWatch) uri += "?watch=true";
  return uri;
}

// The response that its audit shows, in JSON; empty: none.
Bytes shown(const Answer& answer, const Encoder& encoder, const audit::Record& record) {
  constexpr size_t kSmall = 1024;  // it may be a Status
  const bool all = record.shows_response();
  if (!answer.json.empty())
    return all || answer.json.size() <= kSmall ? Bytes::copy_of(answer.json) : Bytes();
  if (!all) return {};
  Result<Bytes> bytes = Bytes();
  if (answer.object != nullptr) {
    bytes = encoder.object(answer.object);
  } else if (answer.list) {
    bytes = encoder.list(*answer.list);
  }
  return bytes ? *bytes : Bytes();
}

}  // namespace local_client

Result<Request> LocalClient::request(const client::Place& place, api::Verb verb,
                                     const Until& until) const {
  const bool is_new = verb == api::Verb::kCreate && place.subresource.empty();
  const bool has_name = local_client::is_about_one(verb) && !is_new;
  ResourcePtr resource = place.resource;
  // As it is defined now.
  if (resource->custom && context_.catalogue != nullptr)
    resource = context_.catalogue->find_stored(resource->group, resource->version, resource->name);
  Request request =
      TRY(resolve({.resource = std::move(resource),
                   .subresource = place.subresource,
                   .name_space = place.resource->namespaced ? std::string_view(place.name_space)
                                                            : std::string_view(),
                   .name = has_name ? std::string_view(place.name) : std::string_view()},
                  verb, user_));
  request.until = until;
  return request;
}

std::shared_ptr<audit::Record> LocalClient::begin_audit(Call& call) const {
  if (auditor_ == nullptr) return nullptr;
  const ListOptions* selecting = selects(call.request.verb) ? &call.list() : nullptr;
  const bool watches = call.request.verb == api::Verb::kWatch;
  std::shared_ptr<audit::Record> record =
      auditor_->begin(attributes_of(call.request, selecting), user_,
                      local_client::uri_of(call.request), local_client::kAgent,
                      watches ? audit::RequestKind::kLongRunning : audit::RequestKind::kOrdinary);
  if (record == nullptr) return nullptr;
  auditor_->receive_now(*record);
  call.request.audit = record;
  return record;
}

Result<Answer> LocalClient::run(Call call) const {
  const std::shared_ptr<audit::Record> record = begin_audit(call);
  const ResourcePtr resource = call.request.resource;
  const auto execute_now = [&]() -> Result<Answer> {
    TRY(authorize(context_, call));
    TRY(wait_for_newest(context_, call));
    return execute(context_, std::move(call));
  };
  Result<Answer> answer = execute_now();
  if (record == nullptr) return answer;
  if (answer) {
    const Encoder encoder{.resource = resource, .media = {}, .clock = &clock_};
    record->responded(answer->code, local_client::shown(*answer, encoder, *record));
  } else {
    record->failed(answer.status());
  }
  return answer;
}

Result<api::ObjectPtr> LocalClient::run_for_object(Call call) const {
  const ResourcePtr resource = call.request.resource;
  Answer answer = TRY(run(std::move(call)));
  if (answer.object != nullptr) return served_form(answer.object, *resource);
  return api::Object::make(std::move(answer.json));
}

Result<api::ObjectPtr> LocalClient::get(const client::Place& place, const Until& until) {
  Request asked = TRY(request(place, api::Verb::kGet, until));
  return run_for_object({std::move(asked), GetOptions{}});
}

Result<client::ObjectList> LocalClient::list(const client::Place& place,
                                             const client::ListQuery& query, const Until& until) {
  Request asked = TRY(request(place, api::Verb::kList, until));
  const ResourcePtr resource = asked.resource;
  ListOptions options = TRY(local_client::list_options(query));
  const Answer answer = TRY(run({std::move(asked), std::move(options)}));
  if (!answer.list) return method_not_allowed();
  client::ObjectList found{.items = TRY(served_forms(answer.list->entries, *resource)),
                           .resource_version = std::to_string(answer.list->revision.value),
                           .continue_token = answer.list->continue_token};
  return found;
}

Result<std::unique_ptr<client::Watch>> LocalClient::watch(const client::Place& place,
                                                          const client::WatchQuery& query,
                                                          const Until& until) {
  Request asked = TRY(request(place, api::Verb::kWatch, until));
  ListOptions options = TRY(local_client::list_options(query));
  Call call{std::move(asked), std::move(options)};
  const std::shared_ptr<audit::Record> record = begin_audit(call);
  const auto open = [&]() -> Result<std::unique_ptr<client::Watch>> {
    TRY(authorize(context_, call));
    TRY(wait_for_newest(context_, call));
    return LocalWatch::open(context_.store, clock_, call.request, call.list());
  };
  Result<std::unique_ptr<client::Watch>> watch = open();
  if (record == nullptr) return watch;
  if (watch) {
    record->responded(200, {});
  } else {
    record->failed(watch.status());
  }
  return watch;
}

Result<api::ObjectPtr> LocalClient::write(Request request, Payload payload,
                                          const client::WriteChoices& choices) const {
  WriteOptions options = local_client::write_options(choices, *user_);
  return run_for_object({std::move(request), std::move(options), std::move(payload)});
}

Result<api::ObjectPtr> LocalClient::create(const client::Place& place, json::Document object,
                                           const client::WriteChoices& choices,
                                           const Until& until) {
  Request asked = TRY(request(place, api::Verb::kCreate, until));
  return write(std::move(asked), {.content_type = {}, .document = std::move(object)}, choices);
}

Result<api::ObjectPtr> LocalClient::update(const client::Place& place, json::Document object,
                                           const client::WriteChoices& choices,
                                           const Until& until) {
  Request asked = TRY(request(place, api::Verb::kUpdate, until));
  return write(std::move(asked), {.content_type = {}, .document = std::move(object)}, choices);
}

Result<api::ObjectPtr> LocalClient::patch(const client::Place& place, api::PatchType type,
                                          json::Document patch, const client::WriteChoices& choices,
                                          const Until& until) {
  Request asked = TRY(request(place, api::Verb::kPatch, until));
  return write(
      std::move(asked),
      {.content_type = std::string(api::content_type_of(type)), .document = std::move(patch)},
      choices);
}

Result<void> LocalClient::remove(const client::Place& place, const client::RemoveChoices& choices,
                                 const Until& until) {
  Request asked = TRY(request(place, api::Verb::kDelete, until));
  TRY(run({std::move(asked), local_client::delete_options(choices)}));
  return {};
}

Result<void> LocalClient::remove_collection(const client::Place& place,
                                            const client::ListQuery& query,
                                            const client::RemoveChoices& choices,
                                            const Until& until) {
  Request asked = TRY(request(place, api::Verb::kDeleteCollection, until));
  ListOptions select = TRY(local_client::list_options(query));
  TRY(run({std::move(asked),
           DeleteCollectionOptions{std::move(select), local_client::delete_options(choices)}}));
  return {};
}

}  // namespace proa::apiserver
