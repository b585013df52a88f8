#include "apiserver/resources/subresources/scale.h"

#include <limits>

#include "api/selector/label_selector.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/subresources/scale_managers.h"
#include "apiserver/resources/write/apply.h"
#include "apiserver/resources/write/body.h"
#include "apiserver/resources/write/patch.h"
#include "apiserver/resources/write/preconditions.h"
#include "apiserver/resources/write/update.h"
#include "custom/definition/definition.h"
#include "json/print.h"

namespace proa::apiserver {
namespace scale {

using api::Edit;
using api::View;

// Attempts to apply a patch on conflict.
constexpr int kAttempts = 50;
// What a patch of the Scale of a custom object finds where that has no replicas. As upstream's
// scaleUpdatedObjectInfo: what is left of it after the patch is refused.
constexpr int64_t kNoReplicas = std::numeric_limits<int32_t>::min();

std::string selector_of(View spec) {
  const View selector = spec["selector"];
  // Legacy kinds have a plain map.
  const bool plain = !selector["matchLabels"].exists() && !selector["matchExpressions"].exists();
  if (plain) return api::LabelSelector::from_map(selector).str();
  const Result<api::LabelSelector> parsed = api::LabelSelector::from(selector);
  return parsed ? parsed->str() : "";
}

// Where the values of a Scale are in its object.
struct Places {
  std::string_view replicas = "spec.replicas";
  std::string_view status = "status.replicas";
  std::string_view selector;  // empty: none, or that of a built-in kind
  bool custom = false;
};

Places places_of(const api::Resource& resource) {
  if (!resource.custom) return {};
  const auto without_dot = [](std::string_view path) {
    return path.starts_with('.') ? path.substr(1) : path;
  };
  const custom::ScalePaths& paths = *custom::custom_resource(resource).scale();
  return {.replicas = without_dot(paths.spec_replicas),
          .status = without_dot(paths.status_replicas),
          .selector = without_dot(paths.label_selector),
          .custom = true};
}

std::string selector_of(View object, const Places& places) {
  if (!places.custom) return selector_of(object["spec"]);
  return places.selector.empty() ? std::string() : std::string(object.at(places.selector).text());
}

void set_at(Edit object, std::string_view path, int64_t value) {
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    object = object.object(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  object.set(path, value);
}

json::Document scale_of(View object, const api::Resource& resource) {
  const Places places = places_of(resource);
  json::Document document({}, json::Value::object());
  const Edit scale(document);
  scale.set("kind", "Scale");
  scale.set("apiVersion", "autoscaling/v1");
  const Edit metadata = scale.object("metadata");
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    metadata.copy(field, object["metadata"][field]);
  }
  const int64_t replicas = object.at(places.replicas).integer();
  const Edit spec = scale.object("spec");
  if (replicas != 0) spec.set("replicas", replicas);  // as decoding leaves it
  scale.object("status").set("replicas", object.at(places.status).integer());
  const std::string selector = selector_of(object, places);
  if (!selector.empty()) scale.object("status").set("selector", selector);
  return document;
}

Result<Answer> answer(const Request& request, json::Document scale) {
  const api::Decoded canonical = TRY(api::decode_document(
      std::move(scale), *request.subresource->type, api::FieldValidation::kIgnore));
  return Answer{.json = json::print(canonical.document.root()), .type = request.subresource->type};
}

api::ManagedKind managed_scale(const Request& request) {
  return {.type = request.subresource->type,
          .subresource = request.subresource->name,
          .find_type = nullptr,
          .convert = nullptr,
          .reset_fields = nullptr,
          .custom = false};
}

ScaledFields scaled_fields(const api::Resource& resource) {
  if (!resource.custom) return {{resource.group_version(), places_of(resource).replicas}};
  ScaledFields fields;
  for (const custom::CustomResource& version :
       custom::custom_resource(resource).definition().versions()) {
    fields[version.group_version()] =
        version.scale() == nullptr ? std::string_view() : places_of(version).replicas;
  }
  return fields;
}

// The same with managed fields, which are not shown.
json::Document managed_scale_of(const Request& request, View object) {
  json::Document document = scale_of(object, *request.resource);
  const Edit metadata = Edit(document).object("metadata");
  json::Value managers = managers_of_scale(object["metadata"]["managedFields"].value(),
                                           scaled_fields(*request.resource), metadata.arena());
  if (!managers.is_null()) metadata.set("managedFields", std::move(managers));
  return document;
}

// Tracks who owns the replicas of `object`, which is `old` with those of the Scale.
void track_scale(const Request& request, const api::FieldWriter& writer, View old, Edit object,
                 Edit scale, Managers managers) {
  if (managers == Managers::kTracked) {
    const json::Document before = managed_scale_of(request, old);
    api::track_update(managed_scale(request), before.root(), scale, writer);
  }
  json::Value merged = managers_after_scale(
      old["metadata"]["managedFields"].value(), scale["metadata"]["managedFields"].value(),
      request.resource->group_version(), scaled_fields(*request.resource), object.arena());
  const Edit metadata = object.object("metadata");
  if (merged.is_null()) {
    metadata.remove("managedFields");
  } else {
    metadata.set("managedFields", std::move(merged));
  }
}

struct Current {
  json::Document scale;  // with managed fields
  bool has_replicas = true;
};

Result<Current> current(const ApiContext& context, const Request& request) {
  const store::EntryPtr entry = TRY(get_object(context.store, request, ""));
  const json::Document document =
      TRY(read_as(*object_of(entry), *request.resource, Answers::kRecent));
  const Places places = places_of(*request.resource);
  return Current{
      .scale = managed_scale_of(request, document.root()),
      .has_replicas = !places.custom || View(document.root()).at(places.replicas).exists()};
}

// The field as upstream names it: ".spec.replicas".
std::string replicas_field(const Request& request) {
  const custom::ScalePaths& paths = *custom::custom_resource(*request.resource).scale();
  return "the spec replicas field \"" + paths.spec_replicas + "\"";
}

Status without_replicas(const Request& request) {
  return internal_error(replicas_field(request) + " does not exist");
}

Result<void> check_scale_uid(const Request& request, View scale, View object, bool dry_run) {
  // An update is refused by upstream's storage, a patch in the name of the subresource.
  if (request.verb == api::Verb::kUpdate) return check_object_uid(request, scale, object, dry_run);
  const std::string_view uid = scale["metadata"]["uid"].text();
  const std::string_view found = object["metadata"]["uid"].text();
  if (uid.empty() || uid == found) return {};
  const std::string why = "Precondition failed: UID in precondition: " + std::string(uid) +
                          ", UID in object meta: " + std::string(found);
  const std::string group(request.resource->group);
  StatusDetails details = request.details(request.name);
  details.kind += "/scale";
  return Status(Reason::kConflict, "Operation cannot be fulfilled on " + details.kind +
                                       (group.empty() ? "" : ".") + group + " \"" + request.name +
                                       "\": " + why)
      .with_details(std::move(details));
}

Result<Answer> read(const ApiContext& context, const Request& request) {
  Current found = TRY(current(context, request));
  if (!found.has_replicas) return without_replicas(request);
  Edit(found.scale).object("metadata").remove("managedFields");
  return answer(request, std::move(found.scale));
}

// Those of a custom object are validated with the object.
Result<void> check_replicas(const Request& request, int64_t replicas) {
  if (request.resource->custom) {
    if (replicas != kNoReplicas) return {};
    return Status(Reason::kBadRequest, replicas_field(request) + " cannot be empty");
  }
  if (replicas >= 0) return {};
  api::FieldErrors errors;
  errors.invalid(api::Path("spec.replicas"), replicas, "must be greater than or equal to 0");
  return errors.to_status("autoscaling", "Scale", request.name);
}

// Validating admission sees the Scale of the object before and after, as upstream's
// toScaleUpdateValidation: nothing else of what was sent is used.
Result<void> validate_scale(const ApiContext& context, const Admission& admission,
                            json::Document before, int64_t replicas) {
  Edit(before).object("metadata").remove("managedFields");
  json::Document after = before.copy();
  const Edit spec = Edit(after).object("spec");
  if (replicas == 0) {
    spec.remove("replicas");
  } else {
    spec.set("replicas", replicas);
  }
  Admission complete = admission;
  complete.old = before.root();
  return context.admission.validate(after.root(), complete);
}

// Sets the object's replicas to those of a Scale.
Result<Answer> set(const ApiContext& context, const Request& request, json::Document body,
                   const WriteOptions& options, Managers managers) {
  TRY(settle_namespace(request, Edit(body)));
  TRY(check_object_name(request, body.root()));
  const json::Document before = TRY(current(context, request)).scale;
  const Admission admission{.request = request,
                            .operation = Operation::kUpdate,
                            .old = before.root(),
                            .dry_run = options.dry_run,
                            .write = &options};
  TRY(context.admission.admit(Edit(body), admission));
  TRY(settle_namespace(request, Edit(body)));
  const View scale = body.root();
  const int64_t replicas = scale["spec"]["replicas"].integer();
  TRY(check_replicas(request, replicas));
  TRY(validate_scale(context, admission, before.copy(), replicas));
  Request whole = request;
  whole.subresource = nullptr;
  whole.verb = api::Verb::kPatch;  // the Scale's resourceVersion is the precondition, if it has one
  const auto scaled = [&](const json::Document& old) -> Result<Body> {
    TRY(check_scale_uid(request, scale, old.root(), options.dry_run));
    json::Document changed = old.copy();
    const Edit object(changed);
    set_at(object, places_of(*request.resource).replicas, replicas);
    // A custom kind cannot be updated without one, but its Scale can.
    if (!request.resource->custom || !scale["metadata"]["resourceVersion"].text().empty())
      object.object("metadata").copy("resourceVersion", scale["metadata"]["resourceVersion"]);
    json::Document tracked = body.copy();
    track_scale(request, field_writer(context, options), old.root(), object, Edit(tracked),
                managers);
    return Body{std::move(changed)};
  };
  UpdateRules rules = update_rules(whole);
  rules.managers = Managers::kStated;
  const Written written =
      TRY(change_object(without_admission(context), whole, options, rules, scaled));
  const json::Document document =
      TRY(read_as(*written.object, *request.resource, Answers::kRecent));
  return answer(request, scale_of(document.root(), *request.resource));
}

// The Scale after the patch, in `old`, which has managed fields.
Result<Body> patched(const ApiContext& context, const Call& call, const json::Document& old,
                     bool applies) {
  if (applies) return apply_config(context, call, managed_scale(call.request), &old.root());
  return apply_to(old, false, call, *call.request.subresource->type, context.schema);
}

Result<Answer> patch(const ApiContext& context, const Call& call) {
  const Request& request = call.request;
  const WriteOptions& options = call.write();
  const bool applies = TRY(patch_type(call)) == api::PatchType::kApply;
  note_patch(call);
  for (int attempt = 1;; ++attempt) {
    Current found = TRY(current(context, request));
    if (!found.has_replicas) Edit(found.scale).object("spec").set("replicas", kNoReplicas);
    const json::Document& old = found.scale;
    json::Document body = TRY(patched(context, call, old, applies)).document;
    const bool pinned = !(View(body.root())["metadata"]["resourceVersion"] ==
                          View(old.root())["metadata"]["resourceVersion"]);
    Result<Answer> outgoing = set(context, request, std::move(body), options,
                                  applies ? Managers::kStated : Managers::kTracked);
    if (!outgoing.is(Reason::kConflict) || pinned || attempt == kAttempts) return outgoing;
  }
}

}  // namespace scale

Result<Answer> run_scale(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  if (request.verb == api::Verb::kGet) {
    return scale::read(context, request);
  }
  if (request.verb == api::Verb::kPatch) return scale::patch(context, call);
  json::Document body = TRY(read_document(call, *request.subresource->type, context));
  return scale::set(context, request, std::move(body), call.write(), Managers::kTracked);
}

}  // namespace proa::apiserver
