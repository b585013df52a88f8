#include "apiserver/access/admission/matching/review_options.h"

#include "api/object/edit.h"

namespace proa::apiserver {
namespace review_options_of {

using api::Edit;

json::Document options_named(std::string_view kind) {
  json::Document document({}, json::Value::object());
  const Edit options(document);
  options.set("kind", kind);
  options.set("apiVersion", "meta.k8s.io/v1");
  return document;
}

void add_dry_run(Edit options, bool dry_run) {
  if (dry_run) options.array("dryRun").push(json::Value::borrowed("All"));
}

json::Document of_write(const Admission& admission, const WriteOptions& options) {
  // As upstream's patchHandler, by what becomes of the object, and without `force`.
  const bool creates = admission.operation == Operation::kCreate;
  json::Document document = options_named(creates ? "CreateOptions" : "UpdateOptions");
  const Edit made(document);
  add_dry_run(made, options.dry_run);
  if (!options.field_manager.empty()) made.set("fieldManager", options.field_manager);
  // Whether a client said that it wants warnings, or nothing, is not kept.
  if (options.validation == api::FieldValidation::kStrict) made.set("fieldValidation", "Strict");
  if (options.validation == api::FieldValidation::kIgnore) made.set("fieldValidation", "Ignore");
  return document;
}

std::string_view name_of(api::Propagation propagation) {
  switch (propagation) {
    case api::Propagation::kOrphan:
      return "Orphan";
    case api::Propagation::kForeground:
      return "Foreground";
    default:
      return "Background";
  }
}

json::Document of_deletion(const DeleteOptions& options) {
  json::Document document = options_named("DeleteOptions");
  const Edit made(document);
  if (options.grace_seconds) made.set("gracePeriodSeconds", *options.grace_seconds);
  if (options.uid) made.object("preconditions").set("uid", *options.uid);
  if (options.resource_version)
    made.object("preconditions").set("resourceVersion", *options.resource_version);
  if (options.orphan_dependents) made.set("orphanDependents", *options.orphan_dependents);
  if (options.propagation) made.set("propagationPolicy", name_of(*options.propagation));
  add_dry_run(made, options.dry_run);
  return document;
}

}  // namespace review_options_of

json::Document review_options(const Admission& admission) {
  if (admission.write != nullptr) return review_options_of::of_write(admission, *admission.write);
  if (admission.remove != nullptr) return review_options_of::of_deletion(*admission.remove);
  return {};
}

}  // namespace proa::apiserver
