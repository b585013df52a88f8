#include "apiserver/resources/subresources/eviction.h"

#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/subresources/budgets.h"
#include "apiserver/resources/subresources/conditions.h"
#include "apiserver/resources/subresources/posted.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {
namespace eviction {

using api::Edit;
using api::View;

// Upstream's number of attempts. Each failure means that the pod was changed concurrently.
constexpr int kAttempts = 20;

// An eviction in progress.
struct Task {
  const ApiContext& context;
  Request pod;            // the pod itself
  DeleteOptions options;  // the client's delete options
};

struct Pod {
  json::Document document;

  View view() const { return document.root(); }
  std::string resource_version() const {
    return std::string(view()["metadata"]["resourceVersion"].text());
  }
};

Result<DeleteOptions> deletion_of(const Request& request, const Posted& posted) {
  const View wanted = posted.view()["deleteOptions"];
  constexpr std::string_view kIgnoreErrors = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (wanted[kIgnoreErrors].flag()) {
    api::FieldErrors errors;
    const api::Path path("deleteOptions");
    errors.invalid(path.field(kIgnoreErrors), wanted[kIgnoreErrors],
                   "can not be set for pod eviction, try after removing the option");
    return errors.to_status("policy", "Eviction", request.name);
  }
  DeleteOptions options = TRY(delete_options(wanted));
  options.dry_run = options.dry_run || posted.options.dry_run;
  return options;
}

Result<Pod> read_pod(const Task& task) {
  const store::EntryPtr entry = TRY(get_object(task.context.store, task.pod, ""));
  json::Document document = TRY(object_of(entry)->document());
  return Pod{std::move(document)};
}

bool is_finished(View pod) {
  const std::string_view phase = pod["status"]["phase"].text();
  return phase == "Succeeded" || phase == "Failed" || pod["metadata"]["deletionTimestamp"].exists();
}

// Evicting a pending or finished pod is not a disruption.
bool needs_no_budget(View pod) {
  return is_finished(pod) || pod["status"]["phase"].text() == "Pending";
}

bool is_ready(View pod) {
  return find_condition(pod["status"], "Ready")["status"].text() == "True";
}

Status conflict(const Request& request, const std::string& what, const std::string& wanted,
                std::string_view found, std::string_view guess) {
  StatusDetails details = request.details(request.name);
  details.kind = "Pod";
  return Status(Reason::kConflict, "Operation cannot be fulfilled on Pod \"" + request.name +
                                       "\": the " + what + " in the precondition (" + wanted +
                                       ") does not match the " + what + " in record (" +
                                       std::string(found) + "). The object might have been " +
                                       std::string(guess))
      .with_details(std::move(details));
}

Result<void> check_preconditions(const Request& request, const DeleteOptions& options,
                                 View metadata) {
  const std::string uid = options.uid.value_or("");
  const std::string_view found = metadata["uid"].text();
  if (!uid.empty() && uid != found) {
    return conflict(request, "UID", uid, found, "deleted and then recreated");
  }
  const std::string version = options.resource_version.value_or("");
  const std::string_view current = metadata["resourceVersion"].text();
  if (!version.empty() && version != current) {
    return conflict(request, "ResourceVersion", version, current, "modified");
  }
  return {};
}

// Sets a condition with the reason on the pod; returns the new resourceVersion.
Result<std::string> mark_pod(const Task& task, const DeleteOptions& options) {
  Request status = task.pod;
  status.verb = api::Verb::kPatch;
  status.subresource = status.resource->find_subresource("status");
  const Change add_condition = [&](const json::Document& old) -> Result<Body> {
    TRY(check_preconditions(task.pod, options, View(old.root())["metadata"]));
    json::Document changed = old.copy();
    set_condition(Edit(changed).object("status"),
                  {.type = "DisruptionTarget",
                   .status = "True",
                   .reason = "EvictionByEvictionAPI",
                   .message = "Eviction API: evicting"},
                  task.context.clock.now());
    return Body{std::move(changed)};
  };
  UpdateRules rules = update_rules(status);
  rules.managers = Managers::kStated;  // as upstream: the server changes it by itself
  const Written written = TRY(change_object(task.context, status, {}, rules, add_condition));
  return std::string(written.object->metadata().resource_version);
}

Result<void> remove_pod(const Task& task, DeleteOptions options) {
  if (!options.dry_run) {
    const std::string version = TRY(mark_pod(task, options));
    if (options.resource_version) options.resource_version = version;
  }
  Request removal = task.pod;
  removal.verb = api::Verb::kDelete;
  TRY(remove_object(task.context, removal, options));
  return {};
}

// Deletes a pod that needs no budget; otherwise returns it.
Result<std::optional<Pod>> remove_if_free(const Task& task) {
  for (int attempt = 1;; ++attempt) {
    Pod pod = TRY(read_pod(task));
    if (!needs_no_budget(pod.view())) return std::optional<Pod>(std::move(pod));
    DeleteOptions options = task.options;
    // A pending pod could become ready meanwhile; its budget would then apply.
    const bool pinned = task.options.resource_version.has_value();
    if (!pinned && !is_finished(pod.view())) options.resource_version = pod.resource_version();
    Result<void> removed = remove_pod(task, options);
    if (removed) return std::optional<Pod>();
    if (pinned || !removed.is(Reason::kConflict) || attempt == kAttempts) return removed.status();
  }
}

// Takes a disruption from the budget; fails if it has none left.
Result<void> take_from(const Task& task, const std::string& budget) {
  Request status;
  status.verb = api::Verb::kPatch;
  status.resource = task.context.schema.find_resource("policy", "v1", "poddisruptionbudgets");
  status.subresource = status.resource->find_subresource("status");
  status.name_space = task.pod.name_space;
  status.name = budget;
  status.user = task.pod.user;
  const Change take = [&](const json::Document& old) -> Result<Body> {
    TRY(check_budget(old.root()));
    json::Document changed = old.copy();
    take_disruption(Edit(changed), task.pod.name, task.context.clock.now());
    return Body{std::move(changed)};
  };
  const WriteOptions options{.dry_run = task.options.dry_run,
                             .force = {},
                             .field_manager = {},
                             .default_manager = std::string(kServerManager)};
  const Result<Written> taken =
      change_object(task.context, status, options, update_rules(status), take);
  if (taken) return {};
  if (!taken.is(Reason::kConflict)) return taken.status();
  StatusDetails details;
  details.retry_after_seconds = 10;
  return Status(Reason::kTimeout,
                "Timeout: couldn't update PodDisruptionBudget \"" + budget + "\" due to conflicts")
      .with_details(std::move(details));
}

// Deletes a running pod if its budgets allow it.
Result<void> remove_guarded(const Task& task, const Pod& pod) {
  const std::vector<json::Document> budgets =
      TRY(budgets_of(task.context, task.pod.name_space, pod.view()["metadata"]["labels"]));
  if (budgets.size() > 1) {
    return Status(Reason::kUnknown,
                  "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                  "does not support.");
  }
  if (budgets.empty()) return remove_pod(task, task.options);
  const View budget = budgets[0].root();
  const std::string name(budget["metadata"]["name"].text());
  if (is_ready(pod.view()) || !allows_unready_eviction(budget)) {
    TRY(take_from(task, name));
    return remove_pod(task, task.options);
  }
  // Not counted only as long as the pod is unready.
  DeleteOptions options = task.options;
  options.resource_version = pod.resource_version();
  Result<void> removed = remove_pod(task, options);
  if (removed.is(Reason::kConflict) && !task.options.resource_version) {
    return budget_is_behind(name);
  }
  return removed;
}

}  // namespace eviction

Result<Answer> run_eviction(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const Posted posted = TRY(read_posted(context, *request.subresource->type, call));
  if (posted.view()["metadata"]["name"].text() != request.name) {
    return Status(Reason::kBadRequest, "name in URL does not match name in Eviction object");
  }
  const DeleteOptions options = TRY(eviction::deletion_of(request, posted));
  TRY(validate_posted(context, request, posted));
  const ApiContext inner = without_admission(context);
  eviction::Task task{.context = inner, .pod = request, .options = options};
  task.pod.subresource = nullptr;
  const std::optional<eviction::Pod> guarded = TRY(eviction::remove_if_free(task));
  if (guarded) TRY(eviction::remove_guarded(task, *guarded));
  return accepted(context);
}

}  // namespace proa::apiserver
