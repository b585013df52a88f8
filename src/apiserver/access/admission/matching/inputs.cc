#include "apiserver/access/admission/matching/inputs.h"

#include "api/object/edit.h"
#include "apiserver/access/admission/matching/review_options.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace request_inputs {

using api::Edit;

// Expressions have limits of their own. They are to end with the request; and work that their cost
// does not tell takes some seconds at most, for all policies together. What is kept of them, such
// as variables, takes no more memory than two documents.
constexpr Budget::Limits kLimits{.values = 0, .memory = size_t{64} << 20, .steps = 200'000'000};

void set_kind(Edit request, std::string_view name, const api::Type& kind) {
  const Edit at = request.object(name);
  const auto halves = split_once(kind.group_version, '/');
  at.set("group", halves ? halves->before : std::string_view());
  at.set("version", halves ? halves->after : kind.group_version);
  at.set("kind", kind.name);
}

void set_resource(Edit request, std::string_view name, const api::Resource& resource) {
  const Edit at = request.object(name);
  at.set("group", resource.group);
  at.set("version", resource.version);
  at.set("resource", resource.name);
}

void set_text(Edit at, std::string_view name, std::string_view text) {
  if (!text.empty()) at.set(name, text);
}

void set_texts(Edit at, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const Edit list = at.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(list.arena(), text));
}

void set_user(Edit request, const User& user) {
  const Edit at = request.object("userInfo");
  set_text(at, "username", user.name);
  set_text(at, "uid", user.uid);
  set_texts(at, "groups", user.groups);
  if (user.extra.empty()) return;
  const Edit extra = at.object("extra");
  for (const auto& [key, values] : user.extra) {
    extra.array(key);
    set_texts(extra, key, values);
  }
}

void set_options(Edit request, const Admission& admission) {
  const json::Document options = review_options(admission);
  request.copy("options", options.root());
}

cel::Value value_of(api::View view) {
  return view.value() == nullptr ? cel::Value::null() : cel::from_json(*view.value());
}

}  // namespace request_inputs

RequestInputs::RequestInputs(const Subject& subject, Authorizer& authorizer, const Clock& clock,
                             json::Arena& arena)
    : subject_(subject),
      answers_(authorizer, *subject.admission().request.user),
      arena_(arena),
      budget_(request_inputs::kLimits),
      versions_(subject),
      authorizer_(cel::make_authorizer(arena, answers_)),
      request_resource_(cel::make_resource_check(arena, answers_,
                                                 {.is_resource = true,
                                                  .group = subject.resource().group,
                                                  .resource = subject.resource().name,
                                                  .subresource = subject.subresource(),
                                                  .name_space = subject.name_space(),
                                                  .name = subject.name()})) {
  budget_.end_with(subject.admission().request.until, clock);
}

// Upstream describes the request to conditions by its own resource, and the kind that matched.
Result<cel::AdmissionInputs> RequestInputs::for_conditions(const Matched& matched,
                                                           api::View params) {
  return make(matched, subject_.resource(), params);
}

Result<cel::AdmissionInputs> RequestInputs::for_policy(const Matched& matched, api::View params) {
  cel::AdmissionInputs inputs = TRY(make(matched, *matched.resource, params));
  inputs.name_space = TRY(name_space());
  return inputs;
}

Result<cel::AdmissionInputs> RequestInputs::for_policy(const Matched& matched, api::View params,
                                                       api::View object) {
  cel::AdmissionInputs inputs = TRY(for_policy(matched, params));
  inputs.object = request_inputs::value_of(object);
  return inputs;
}

Result<cel::AdmissionInputs> RequestInputs::make(const Matched& matched,
                                                 const api::Resource& resource, api::View params) {
  const ObjectVersions::Objects objects = TRY(versions_.in(matched));
  cel::AdmissionInputs inputs;
  inputs.object = request_inputs::value_of(objects.object);
  inputs.old_object = request_inputs::value_of(objects.old);
  inputs.request = cel::from_json(request(resource, *matched.kind));
  inputs.params = request_inputs::value_of(params);
  inputs.authorizer = authorizer_;
  inputs.request_resource = request_resource_;
  inputs.budget = &budget_;
  return inputs;
}

const json::Value& RequestInputs::request(const api::Resource& resource, const api::Type& kind) {
  for (const Described& known : requests_) {
    if (known.resource == &resource && known.kind == &kind) return *known.value;
  }
  auto* value = new (arena_.allocate(sizeof(json::Value), alignof(json::Value)))
      json::Value(json::Value::object());
  const api::Edit made(arena_, *value);
  const Admission& admission = subject_.admission();
  made.set("uid", "");
  request_inputs::set_kind(made, "kind", kind);
  request_inputs::set_resource(made, "resource", resource);
  request_inputs::set_text(made, "subResource", subject_.subresource());
  request_inputs::set_kind(made, "requestKind", subject_.kind());
  request_inputs::set_resource(made, "requestResource", subject_.resource());
  request_inputs::set_text(made, "requestSubResource", subject_.subresource());
  request_inputs::set_text(made, "name", subject_.name());
  request_inputs::set_text(made, "namespace", subject_.name_space());
  made.set("operation", operation_name(admission.operation));
  request_inputs::set_user(made, *admission.request.user);
  made.set("dryRun", admission.dry_run);
  request_inputs::set_options(made, admission);
  requests_.push_back({&resource, &kind, value});
  return *value;
}

// A Namespace is not in one, and neither are objects of the cluster.
Result<cel::Value> RequestInputs::name_space() {
  if (subject_.name_space().empty() || subject_.is_namespace()) return cel::Value::null();
  if (!namespace_) {
    const api::ObjectPtr found = TRY(subject_.find_namespace());
    json::Document document = TRY(found->document());
    const api::Edit shown(document);
    for (const std::string_view name : {"kind", "apiVersion"}) shown.remove(name);
    for (const std::string_view name : {"managedFields", "ownerReferences"}) {
      shown.object("metadata").remove(name);
    }
    namespace_ = std::move(document);
  }
  return cel::from_json(namespace_->root());
}

}  // namespace proa::apiserver
