#include "kinds/coordination/lease.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kinds {

namespace lease {

constexpr std::string_view kCoordinated[] = {"strategy", "preferredHolder"};

// Behind gate CoordinatedLeaderElection, which is off.
void drop_coordination(api::Edit object, View old) {
  if (!object.has("spec")) return;
  for (const std::string_view name : kCoordinated) {
    if (!old["spec"][name].exists()) object.existing("spec").remove(name);
  }
}

void prepare_create(api::Edit object, const Writer& /*writer*/) {
  drop_coordination(object, View());
}

void prepare_update(api::Edit object, View old, const Writer& /*writer*/) {
  drop_coordination(object, old);
}

void validate_strategy(View strategy, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view text = strategy.text();
  if (text.find('/') != std::string_view::npos) {
    errors.invalid_each(path, text, api::check_qualified_name(text));
  } else if (text != "OldestEmulationVersion") {
    errors.not_supported(path, text, {"OldestEmulationVersion"});
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View duration = spec["leaseDurationSeconds"];
  if (duration.exists() && duration.integer() <= 0)
    errors.invalid(path.field("leaseDurationSeconds"), duration, "must be greater than 0");
  if (spec["leaseTransitions"].integer() < 0) {
    errors.invalid(path.field("leaseTransitions"), spec["leaseTransitions"],
                   "must be greater than or equal to 0");
  }
  if (spec["strategy"].exists())
    validate_strategy(spec["strategy"], path.field("strategy.strategy"), errors);
  if (!spec["preferredHolder"].text().empty() && spec["strategy"].text().empty()) {
    errors.forbidden(path.field("preferredHolder"),
                     "may only be specified if `strategy` is defined");
  }
}

// The same holder renewed the lease and changed nothing else.
bool is_renewal(View object, View old) {
  const auto same = [&](std::string_view part, std::initializer_list<std::string_view> names) {
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      return object[part][name] == old[part][name];
    });
  };
  return same("metadata", {"labels", "annotations", "ownerReferences", "finalizers"}) &&
         same("spec", {"holderIdentity", "leaseDurationSeconds", "acquireTime", "leaseTransitions",
                       "strategy", "preferredHolder"});
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Holder", .description = "Who holds it."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["spec"]["holderIdentity"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace lease

KindRules lease_rules() {
  return {
      .kind = "coordination.k8s.io/v1/Lease",
      .metadata = {.create = "m", .update = "u"},
      .prepare_create = lease::prepare_create,
      .prepare_update = lease::prepare_update,
      .validate = lease::validate,
      .is_heartbeat = lease::is_renewal,
      .columns = lease::kColumns,
      .row = lease::row,
  };
}

}  // namespace proa::kinds
