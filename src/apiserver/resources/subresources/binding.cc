#include "apiserver/resources/subresources/binding.h"

#include <array>

#include "api/validation/go_text.h"
#include "apiserver/resources/subresources/conditions.h"
#include "apiserver/resources/write/preconditions.h"
#include "apiserver/resources/write/update.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace binding {

using api::Edit;
using api::View;

constexpr std::array<std::string_view, 3> kChanges = {"metadata", "spec.nodeName", "status"};

Status cannot_bind(const Request& request, const std::string& why) {
  StatusDetails details = request.details(request.name);
  details.kind = "pods/binding";
  return Status(Reason::kConflict,
                "Operation cannot be fulfilled on pods/binding \"" + request.name + "\": " + why)
      .with_details(std::move(details));
}

Result<void> check_pod(const Request& request, View wanted, View pod, bool dry_run) {
  const View metadata = pod["metadata"];
  TRY(check_object_uid(request, wanted, pod, dry_run));
  const std::string version(wanted["metadata"]["resourceVersion"].text());
  const std::string stored(metadata["resourceVersion"].text());
  if (!version.empty() && version != stored) {
    return failed_precondition(request, "ResourceVersion", version, stored, dry_run);
  }
  const std::string name = "pod " + request.name;
  if (metadata["deletionTimestamp"]) {
    return cannot_bind(request, name + " is being deleted, cannot be assigned to a host");
  }
  const std::string_view node = pod["spec"]["nodeName"].text();
  if (!node.empty()) {
    return cannot_bind(request, name + " is already assigned to node " + api::quoted(node));
  }
  if (!pod["spec"]["schedulingGates"].empty()) {
    return cannot_bind(request, name + " has non-empty .spec.schedulingGates");
  }
  return {};
}

void merge(Edit metadata, std::string_view field, View added) {
  if (added[field].empty()) return;
  const Edit all = metadata.object(field);
  for (const json::Member& member : added[field].members()) all.copy(member.key, member.value);
}

void assign(Edit pod, View wanted, Time now) {
  pod.object("spec").set("nodeName", wanted["target"]["name"].text());
  const Edit metadata = pod.object("metadata");
  merge(metadata, "annotations", wanted["metadata"]);
  merge(metadata, "labels", wanted["metadata"]);
  const Edit status = pod.object("status");
  // The nomination is obsolete once the pod is bound.
  status.remove("nominatedNodeName");
  set_condition(status, {.type = "PodScheduled", .status = "True"}, now);
}

}  // namespace binding

Result<void> check_binding(const Request& request, const Posted& posted) {
  const api::View wanted = posted.view();
  if (wanted["metadata"]["name"].text() != request.name) {
    return Status(Reason::kBadRequest, "name in URL does not match name in Binding object");
  }
  // Upstream's BindingREST.Create answers 500 with the same message, by mistake.
  api::FieldErrors errors;
  kinds::find_rules("v1", "Binding").validate(wanted, errors);
  if (!errors.empty()) return errors.to_status("", "Binding", request.name);
  return {};
}

Result<Answer> bind_pod(const ApiContext& context, const Request& request, const Posted& posted) {
  const api::View wanted = posted.view();
  const Change assign = [&](const json::Document& old) -> Result<Body> {
    TRY(binding::check_pod(request, wanted, old.root(), posted.options.dry_run));
    json::Document changed = old.copy();
    binding::assign(api::Edit(changed), wanted, context.clock.now());
    return Body{std::move(changed)};
  };
  TRY(change_object(
      without_admission(context), request, posted.options,
      {.counts_generation = false, .changes = binding::kChanges, .managers = Managers::kStated},
      assign));
  return accepted(context);
}

Result<Answer> run_binding(const ApiContext& context, Call& call) {
  const Posted posted = TRY(read_posted(context, *call.request.subresource->type, call));
  TRY(check_binding(call.request, posted));
  TRY(validate_posted(context, call.request, posted));
  return bind_pod(context, call.request, posted);
}

}  // namespace proa::apiserver
