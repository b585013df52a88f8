#include "apiserver/resources/execute.h"

#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/representation/list_message.h"
#include "apiserver/representation/status.h"
#include "apiserver/resources/subresources/subresources.h"
#include "apiserver/resources/virtual/virtual.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/patch.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {
namespace verbs {

Outgoing outgoing(Written written) {
  return {.code = written.created ? 201 : 200,
          .object = std::move(written.object),
          .warnings = std::move(written.warnings)};
}

Result<Outgoing> run_create(const ApiContext& context, const Request& request,
                            const Incoming& incoming) {
  const WriteOptions options = TRY(write_options(incoming.target, "CreateOptions"));
  Body body = TRY(decode_body(incoming.content_type, incoming.body.view(), *request.resource->type,
                              context.schema, options.validation));
  return outgoing(TRY(create_object(context, request, std::move(body), options)));
}

Result<Outgoing> run_update(const ApiContext& context, const Request& request,
                            const Incoming& incoming, const UpdateRules& rules) {
  const WriteOptions options = TRY(write_options(incoming.target, "UpdateOptions"));
  Body body = TRY(decode_body(incoming.content_type, incoming.body.view(), *request.resource->type,
                              context.schema, options.validation));
  return outgoing(TRY(update_object(context, request, std::move(body), options, rules)));
}

Result<DeleteOptions> read_delete_options(const ApiContext& context, const Incoming& incoming) {
  if (incoming.body.empty()) return delete_options(incoming.target);
  const api::Type* type = context.schema.find_kind("v1", "DeleteOptions");
  // Clients send it under the group and version of what they delete; it is the same everywhere.
  Result<json::Document> document =
      decode_any_version(incoming.content_type, incoming.body.view(), *type, context.schema);
  if (!document) return document.status();
  DeleteOptions options = TRY(delete_options(api::View(document->root())));
  if (incoming.target.find("dryRun") != nullptr) {
    options.dry_run = options.dry_run || TRY(delete_options(incoming.target)).dry_run;
  }
  return options;
}

Result<Outgoing> run_delete(const ApiContext& context, const Request& request,
                            const Incoming& incoming) {
  const DeleteOptions options = TRY(read_delete_options(context, incoming));
  Removed removed = TRY(remove_object(context, request, options));
  Outgoing answer;
  // As upstream: "accepted" only for those who asked in the older way.
  if (!removed.gone && options.orphan_dependents && !*options.orphan_dependents) answer.code = 202;
  if (!removed.gone || request.resource->answers_with_deleted()) {
    answer.object = std::move(removed.object);
    return answer;
  }
  StatusDetails details = request.details(request.name);
  details.uid = removed.object->metadata().uid;
  answer.json = success_json(details);
  answer.type = context.schema.find_kind("v1", "Status");
  return answer;
}

Result<Outgoing> run_delete_collection(const ApiContext& context, const Request& request,
                                       const Incoming& incoming) {
  const DeleteOptions options = TRY(read_delete_options(context, incoming));
  const ListOptions wanted = TRY(list_options(incoming.target));
  const Selection selection =
      TRY(Selection::parse(*request.resource, wanted.label_selector, wanted.field_selector));
  const Listed listed = TRY(list_objects(context.store, request, wanted, selection));
  for (const store::EntryPtr& entry : listed.entries) {
    Request one = request;
    one.verb = api::Verb::kDelete;
    one.name = object_of(entry)->metadata().name;
    const Result<Removed> removed = remove_object(context, one, options);
    // Somebody else deleted it, or made another one of that name: what was listed is gone.
    if (!removed && !removed.is(Reason::kNotFound) && !removed.is(Reason::kConflict)) {
      return removed.status();
    }
  }
  Outgoing answer;
  answer.json = TRY(ListMessage::make(*request.resource->stored, listed, Encoding::kJson))->take();
  answer.type = request.resource->stored->list;
  return answer;
}

}  // namespace verbs

Result<Outgoing> run_write(const ApiContext& context, const Request& request,
                           const Incoming& incoming) {
  if (request.resource->key_prefix.empty()) return run_virtual(context, request, incoming);
  std::optional<UpdateRules> rules;
  if (request.subresource != nullptr) {
    rules = part_rules(request);
    if (!rules) return run_subresource(context, request, incoming);
  } else {
    rules = update_rules(request);
  }
  switch (request.verb) {
    case api::Verb::kCreate:
      return verbs::run_create(context, request, incoming);
    case api::Verb::kUpdate:
      return verbs::run_update(context, request, incoming, *rules);
    case api::Verb::kPatch: {
      const WriteOptions options = TRY(write_options(incoming.target, "PatchOptions"));
      return verbs::outgoing(TRY(patch_object(context, request, incoming, options, *rules)));
    }
    case api::Verb::kDelete:
      return verbs::run_delete(context, request, incoming);
    case api::Verb::kDeleteCollection:
      return verbs::run_delete_collection(context, request, incoming);
    default:
      return Status(Reason::kMethodNotAllowed,
                    "the server does not allow this method on the requested resource");
  }
}

}  // namespace proa::apiserver
