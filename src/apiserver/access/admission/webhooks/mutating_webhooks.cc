#include <fmt/format.h>

#include "api/codec/json/decode.h"
#include "api/validation/go_text.h"
#include "apiserver/access/admission/matching/patched_kind.h"
#include "apiserver/access/admission/matching/review_options.h"
#include "apiserver/access/admission/reinvocation.h"
#include "apiserver/access/admission/webhooks/hook_index.h"
#include "apiserver/access/admission/webhooks/hook_match.h"
#include "apiserver/access/admission/webhooks/hook_review.h"
#include "apiserver/access/admission/webhooks/webhooks.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/request/failures.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"
#include "json/patch/json_patch.h"
#include "json/print.h"
#include "kinds/conversion.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace mutating_webhooks {

using api::Edit;
using api::View;

constexpr std::string_view kName = "MutatingAdmissionWebhook";

Status cannot_modify(const AdmissionHook& hook) {
  return internal_error(
      fmt::format("admission webhook {} attempted to modify the object, which is not supported for "
                  "this operation",
                  api::quoted(hook.name)));
}

Status cannot_apply(const AdmissionHook& hook, const Status& why) {
  return internal_error(fmt::format("the patch of admission webhook {} cannot be applied: {}",
                                    api::quoted(hook.name), why.message()));
}

// In keys of audit annotations.
std::string place_of(const Admission& admission, size_t index) {
  const bool again = admission.reinvocation != nullptr && admission.reinvocation->is_second_round();
  return fmt::format("round_{}_index_{}", again ? 1 : 0, index);
}

void note_mutation(const AdmissionHook& hook, const std::string& place, bool mutated,
                   const Admission& admission) {
  if (admission.request.audit == nullptr) return;
  json::Document document({}, json::Value::object());
  const Edit note(document);
  note.set("configuration", hook.configuration);
  note.set("webhook", hook.name);
  note.set("mutated", mutated);
  admission.annotate("mutation.webhook.admission.k8s.io/" + place, json::print(document.root()));
}

// As upstream: only where the audit shows bodies, too.
void note_patch(const AdmissionHook& hook, const std::string& place, const json::Value& patch,
                const Admission& admission) {
  if (admission.request.audit == nullptr || !admission.request.audit->wants_object()) return;
  json::Document document({}, json::Value::object());
  const Edit note(document);
  note.set("configuration", hook.configuration);
  note.set("webhook", hook.name);
  note.set("patch", patch.copy(note.arena()));
  note.set("patchType", "JSONPatch");
  admission.annotate("patch.webhook.admission.k8s.io/" + place, json::print(document.root()));
}

json::Document copy_of(View object) {
  json::Arena arena;
  json::Value root = object.value()->copy(arena);
  return {std::move(arena), std::move(root)};
}

// A write as it is until a webhook changes it. REQUIRES: the arguments outlive it.
struct CurrentWrite {
  CurrentWrite(const Admission& admission, View object, const ObjectReader& objects,
               const AdmissionContext& context)
      : subject(admission, object, objects),
        inputs(subject, context.authorizer, context.clock, arena) {}

  const Subject subject;
  json::Arena arena;
  RequestInputs inputs;
};

class MutatingWebhooks final : public AdmissionPlugin {
 public:
  explicit MutatingWebhooks(const AdmissionContext& context)
      : context_(context),
        objects_(context.store, context.schema),
        equivalents_(context.schema),
        defaulting_(context.schema, kinds::all_type_defaults()),
        index_(context.store, context.schema, context.clock, "mutatingwebhookconfigurations") {}

  bool concerns(const Admission& admission) const override {
    // Exempt writes, such as heartbeats of nodes, do not even wait for the index.
    return !is_exempt_from_webhooks(admission.request) &&
           index_.has(admission.request.resource->name);
  }

  Result<void> admit(Edit object, const Admission& admission) override {
    CHECK(admission.reinvocation != nullptr);
    Reinvocation& reinvocation = *admission.reinvocation;
    Reinvocation::Party& party = reinvocation.party(kName);
    reinvocation.begin(party, object.value());
    const HookIndex::Hooks hooks = index_.find(admission.request.resource->name);
    std::optional<CurrentWrite> write;
    for (const uint32_t place : hooks.places) {
      const AdmissionHook& hook = hooks.at(place);
      if (!party.runs(hook.id, reinvocation.is_second_round())) continue;
      if (!write) write.emplace(admission, object.view(), objects_, context_);
      const std::optional<bool> changed = TRY(run(hook, place, object, write->inputs));
      if (!changed) continue;
      if (*changed) {
        reinvocation.changed_by(party);
        write.reset();
      }
      if (hook.is_reinvocable) party.ran(hook.id);
    }
    reinvocation.end(party, object.value());
    return {};
  }

  Result<void> admit_deletion(const Admission& admission) override {
    const HookIndex::Hooks hooks = index_.find(admission.request.resource->name);
    CurrentWrite write(admission, {}, objects_, context_);
    RequestInputs& inputs = write.inputs;
    for (const uint32_t index : hooks.places) {
      const AdmissionHook& hook = hooks.at(index);
      const std::optional<Matched> matched =
          TRY(match_hook(hook, AdmissionStep::kAdmit, inputs, equivalents_, context_.metrics));
      if (!matched) continue;
      const std::string place = place_of(admission, index);
      const Result<bool> changed = ask(hook, place, *matched, inputs, [&](const auto& patch) {
        return patch.root().size() == 0 ? Result<bool>(false) : Result<bool>(cannot_modify(hook));
      });
      note_mutation(hook, place, false, admission);
      if (!changed) return changed.status();
    }
    return {};
  }

 private:
  // What `use` makes of the patch, which may be null: whether the object changed.
  template <typename Use>
  Result<bool> ask(const AdmissionHook& hook, const std::string& place, const Matched& matched,
                   RequestInputs& inputs, const Use& use) const {
    const json::Document options = review_options(inputs.subject().admission());
    HookReview review({.hook = hook,
                       .matched = matched,
                       .subject = inputs.subject(),
                       .objects = TRY(inputs.versions().in(matched)),
                       .options = options,
                       .place = place,
                       .credentials = context_.credentials.get()},
                      WebhookMay::kMutate);
    review.begin(context_.hooks, context_.random, context_.metrics);
    const Result<json::Document> patch = review.finish();
    Result<bool> changed = patch ? use(*patch) : Result<bool>(patch.status());
    review.count(context_.metrics, changed.ok());
    return changed;
  }

  // Whether it changed the object; nullopt: it is not about it.
  Result<std::optional<bool>> run(const AdmissionHook& hook, size_t index, Edit object,
                                  RequestInputs& inputs) const {
    const std::optional<Matched> matched =
        TRY(match_hook(hook, AdmissionStep::kAdmit, inputs, equivalents_, context_.metrics));
    if (!matched) return std::optional<bool>();
    const Admission& admission = inputs.subject().admission();
    const std::string place = place_of(admission, index);
    const Result<bool> changed =
        ask(hook, place, *matched, inputs, [&](const json::Document& patch) {
          return change(hook, place, patch, *matched, inputs, object);
        });
    note_mutation(hook, place, changed.ok() && *changed, admission);
    return std::optional<bool>(TRY(changed));
  }

  Result<bool> change(const AdmissionHook& hook, const std::string& place,
                      const json::Document& patch, const Matched& matched, RequestInputs& inputs,
                      Edit object) const {
    const Subject& subject = inputs.subject();
    if (patch.root().size() == 0) return false;
    const ObjectVersions::Objects before = TRY(inputs.versions().in(matched));
    json::Document patched = TRY(MutatingWebhooks::patched(hook, before.object, patch.root()));
    // As upstream, a field that the schema does not know is a change, although it is dropped.
    const bool changes = View(patched.root()) != before.object;
    patched = TRY(decoded(hook, std::move(patched), before.object, matched));
    note_patch(hook, place, patch.root(), subject.admission());
    if (!changes) return false;
    patched = TRY(converted_back(std::move(patched), object.view(), subject));
    TRY(settle_custom(patched, subject));
    subject.admission().replace(object, patched.root());
    return true;
  }

  // In the version that the webhook saw.
  static Result<json::Document> patched(const AdmissionHook& hook, View object,
                                        const json::Value& patch) {
    json::Document document = copy_of(object);
    Budget budget;
    const Result<void> applied = json::apply_json_patch(document, patch, budget);
    if (!applied) return cannot_apply(hook, applied.status());
    return document;
  }

  Result<json::Document> decoded(const AdmissionHook& hook, json::Document document, View object,
                                 const Matched& matched) const {
    Budget budget;
    const api::Type& type = *TRY(settle_patched_kind(document, object, matched, context_.schema));
    Result<api::Decoded> decoded =
        api::decode_document(std::move(document), type, api::FieldValidation::kIgnore, &budget);
    if (!decoded) return cannot_apply(hook, decoded.status());
    defaulting_.apply(Edit(decoded->document), type, &budget);
    TRY(budget.check());
    return std::move(decoded->document);
  }

  static Result<json::Document> converted_back(json::Document document, View original,
                                               const Subject& subject) {
    const std::string wanted(original["apiVersion"].text());
    const std::string stated(View(document.root())["apiVersion"].text());
    if (wanted.empty() || stated == wanted) return document;
    if (subject.resource().custom)
      return convert_custom(std::move(document), subject.resource(), wanted);
    return kinds::convert(document, stated, wanted, subject.kind().name);
  }

  // Drops what the definition's schema does not know: a webhook need not know it. For other kinds
  // that is part of decoding.
  static Result<void> settle_custom(json::Document& document, const Subject& subject) {
    const api::Resource& resource = subject.resource();
    if (!resource.custom || &subject.kind() != resource.type) return {};
    const custom::Schema& schema = *TRY(custom::custom_resource(resource).schema());
    Budget budget;
    TRY(schema.decode(document, {.reports_unknown = false}, budget));
    return {};
  }

  const AdmissionContext context_;
  const ObjectReader objects_;
  const Equivalents equivalents_;
  const kinds::Defaulting defaulting_;
  mutable HookIndex index_;
};

}  // namespace mutating_webhooks

Result<std::unique_ptr<AdmissionPlugin>> make_mutating_webhooks(const AdmissionContext& context) {
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<mutating_webhooks::MutatingWebhooks>(context));
}

}  // namespace proa::apiserver
