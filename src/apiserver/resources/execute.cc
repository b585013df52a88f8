#include "apiserver/resources/execute.h"

#include "apiserver/access/authz/attributes.h"
#include "apiserver/objects/continue_token.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/representation/list_message.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "apiserver/request/verbs.h"
#include "apiserver/resources/subresources/subresources.h"
#include "apiserver/resources/virtual/virtual.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/patch.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/update.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace execution {

using api::Verb;

Result<Listed> list_selected(const ApiContext& context, const Call& call) {
  const ListOptions& options = call.list();
  const Selection selection =
      TRY(Selection::make(*call.request.resource, options.labels, options.fields));
  return list_objects(context.store, call.request, options, selection);
}

Result<Answer> read_object(const ApiContext& context, const Call& call) {
  const store::EntryPtr entry =
      TRY(get_object(context.store, call.request, call.get().resource_version));
  return Answer{.object = object_of(entry)};
}

Result<Answer> read_list(const ApiContext& context, const Call& call) {
  return Answer{.list = TRY(list_selected(context, call))};
}

Answer answer_of(Written written) {
  return {.code = written.created ? 201 : 200, .object = std::move(written.object)};
}

Result<Answer> create(const ApiContext& context, Call& call) {
  Body body = TRY(read_body(call, *call.request.resource->type, context));
  return answer_of(TRY(create_object(context, call.request, std::move(body), call.write())));
}

Result<Answer> update(const ApiContext& context, Call& call, const UpdateRules& rules) {
  Body body = TRY(read_body(call, *call.request.resource->type, context));
  return answer_of(TRY(update_object(context, call.request, std::move(body), call.write(), rules)));
}

void warn_of_orphans(const Request& request, const DeleteOptions& options) {
  if (options.propagation || options.orphan_dependents) return;
  if (request.resource->group != "batch" || request.resource->name != "jobs") return;
  request.warn(
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
      "to remove them or set propagationPolicy=Orphan to suppress this warning");
}

// Before the object is looked for: it is refused although it is gone.
Result<void> check_deletable(const Request& request) {
  const api::Resource& stored = *request.resource->stored;
  const auto undeletable = kinds::find_rules(stored).undeletable;
  if (undeletable == nullptr) return {};
  const std::string_view why = undeletable(request.name);
  return why.empty() ? Result<void>() : request.forbidden(why);
}

Result<Answer> remove(const ApiContext& context, const Call& call) {
  const Request& request = call.request;
  TRY(check_deletable(request));
  const DeleteOptions& options = call.remove();
  warn_of_orphans(request, options);
  Removed removed = TRY(remove_object(context, request, options));
  Answer answer;
  // As upstream: 202 only with the deprecated orphanDependents.
  if (!removed.gone && options.orphan_dependents && !*options.orphan_dependents) answer.code = 202;
  if (!removed.gone || request.resource->returns_deleted) {
    answer.object = std::move(removed.object);
    return answer;
  }
  StatusDetails details = request.details(request.name);
  details.uid = removed.object->metadata().uid;
  answer.json = success_json(details);
  answer.type = context.schema.find_kind("v1", "Status");
  return answer;
}

Result<Answer> remove_collection(const ApiContext& context, const Call& call) {
  Listed listed = TRY(list_selected(context, call));
  warn_of_orphans(call.request, call.remove());
  for (const store::EntryPtr& entry : listed.entries) {
    TRY(check_time(call.request.until, context.clock));
    Request one = call.request;
    one.verb = Verb::kDelete;
    one.of_collection = true;
    one.name = object_of(entry)->metadata().name;
    const Result<Removed> removed = remove_object(context, one, call.remove());
    // One that is not found was deleted meanwhile.
    if (!removed && !removed.is(Reason::kNotFound)) return removed.status();
  }
  Answer answer;
  // In the version of the request, and thus in any form.
  if (call.request.resource->custom) {
    answer.list = std::move(listed);
    return answer;
  }
  const ResourcePtr answered = call.request.resource.with(&working_version(*call.request.resource));
  answer.json = TRY(ListMessage::make(answered, std::move(listed), Encoding::kJson))->take();
  answer.type = answered->list;
  return answer;
}

bool reads_objects(const Request& request) {
  const bool reads = request.verb == Verb::kGet || request.verb == Verb::kList;
  if (!reads || request.resource->key_prefix.empty()) return false;
  // A subresource such as status may return the object itself.
  return request.subresource == nullptr || request.subresource->type == request.resource->type;
}

// A list may have begun at a server that is ahead of this one.
bool continues_at_newer(const store::Store& store, std::string_view continue_token) {
  const Result<ContinueToken> token = ContinueToken::decode(continue_token);
  return token && token->revision > store.revision();
}

// Without a version, reads are about the newest state; with one, about any that is not older.
bool asks_for_newer(const store::Store& store, std::string_view resource_version) {
  if (resource_version.empty()) return true;
  const Result<int64_t> asked = parse_resource_version(resource_version);
  return asked.ok() && *asked > store.revision().value;
}

// Upstream's names of its spans.
std::string_view step_name(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "Get";
    case Verb::kList:
      return "List";
    case Verb::kCreate:
      return "Create";
    case Verb::kUpdate:
      return "Update";
    case Verb::kPatch:
      return "Patch";
    default:
      return "Delete";
  }
}

void describe(const Request& request, const TraceStep& step) {
  step.note("api-group", request.resource->group);
  step.note("api-version", request.resource->version);
  step.note("resource", request.resource->name);
  if (request.subresource != nullptr) step.note("subresource", request.subresource->name);
  step.note("namespace", request.name_space);
  step.note("name", request.name);
}

// `rules` apply to updates and patches of the object or subresource.
Result<Answer> run_verb(const ApiContext& context, Call& call, const UpdateRules& rules) {
  switch (call.request.verb) {
    case Verb::kGet:
      return read_object(context, call);
    case Verb::kList:
      return read_list(context, call);
    case Verb::kCreate:
      return create(context, call);
    case Verb::kUpdate:
      return update(context, call, rules);
    case Verb::kPatch:
      return answer_of(TRY(patch_object(context, call, rules)));
    case Verb::kDelete:
      return remove(context, call);
    case Verb::kDeleteCollection:
      return remove_collection(context, call);
    default:
      return method_not_allowed();
  }
}

}  // namespace execution

Result<void> authorize(const ApiContext& context, const Call& call) {
  const ListOptions* selecting = selects(call.request.verb) ? &call.list() : nullptr;
  const Attributes attributes = attributes_of(call.request, selecting);
  const Verdict verdict = context.authorizer.authorize(attributes);
  if (call.request.audit != nullptr)
    call.request.audit->note_decision(verdict.allowed(), verdict.reason);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  return {};
}

bool answers_from_memory(const Request& request) {
  return execution::reads_objects(request) && !may_ask_webhook(*request.resource);
}

bool needs_newest(const store::Store& store, const Call& call) {
  if (!store.is_shared()) return false;
  switch (call.request.verb) {
    case api::Verb::kGet:
      if (!std::holds_alternative<GetOptions>(call.options)) return true;
      return execution::asks_for_newer(store, call.get().resource_version);
    case api::Verb::kList:
    case api::Verb::kWatch:
      if (!call.list().continue_token.empty()) {
        return execution::continues_at_newer(store, call.list().continue_token);
      }
      return execution::asks_for_newer(store, call.list().resource_version);
    default:
      return true;
  }
}

Result<void> wait_for_newest(const ApiContext& context, const Call& call) {
  if (!needs_newest(context.store, call)) return {};
  return context.store.wait_until_caught_up(call.request.until);
}

Result<Answer> execute(const ApiContext& context, Call call) {
  const Request& request = call.request;
  const TraceStep step(request.trace.get(), execution::step_name(request.verb));
  if (request.trace != nullptr) execution::describe(request, step);
  if (request.resource->key_prefix.empty()) return run_virtual(context, call);
  if (execution::reads_objects(request)) return execution::run_verb(context, call, {});
  if (request.subresource == nullptr) {
    return execution::run_verb(context, call, update_rules(request));
  }
  const std::optional<UpdateRules> rules = part_rules(request);
  if (!rules) return run_subresource(context, call);
  return execution::run_verb(context, call, *rules);
}

}  // namespace proa::apiserver
