#include "testkit/scheduler/oracle/oracle_volume_binding.h"

#include <algorithm>

#include "api/quantity.h"
#include "base/strings.h"
#include "testkit/scheduler/oracle/oracle_migration.h"
#include "testkit/scheduler/oracle/oracle_node_selector.h"
#include "testkit/scheduler/oracle/oracle_volumes.h"

namespace proa::testkit::oracle {
namespace oracle_volume_binding {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";

struct Claims {
  std::vector<View> bound = {};
  std::vector<View> immediate = {};  // not bound, and not for the scheduler to bind
  std::vector<View> delayed = {};    // to be bound when a node is chosen
  std::string error = {};
};

// Why one of its volumes rejects all nodes; empty if it does not.
std::string claim_problem(const World& world, const Pod& pod, const ClaimVolume& volume) {
  const View claim = find(world.claims, key_of(pod.name_space, volume.claim));
  const std::string quoted = "persistentvolumeclaim \"" + volume.claim + "\"";
  if (!claim.exists()) {
    if (volume.ephemeral) return "waiting for ephemeral volume controller to create the " + quoted;
    return quoted + " not found";
  }
  if (claim["status"]["phase"].text() == "Lost")
    return quoted + " bound to non-existent persistentvolume \"" +
           std::string(claim["spec"]["volumeName"].text()) + "\"";
  if (claim["metadata"]["deletionTimestamp"].exists()) return quoted + " is being deleted";
  return volume.ephemeral ? not_made_for(pod, claim) : std::string();
}

Claims sort_out(const World& world, const Pod& pod) {
  Claims claims;
  for (const View volume : pod.spec["volumes"].items()) {
    const auto wanted = claim_of(pod, volume);
    if (!wanted) continue;
    const View claim = find(world.claims, key_of(pod.name_space, wanted->claim));
    const bool named = !claim["spec"]["volumeName"].text().empty();
    if (named && claim["metadata"]["annotations"][kBindCompleted].exists()) {
      claims.bound.push_back(claim);
      continue;
    }
    const auto name = storage_class_of(claim);
    const View storage_class = find(world.storage_classes, name);
    const auto mode = storage_class["volumeBindingMode"].text();
    if (storage_class.exists() && mode.empty()) {
      claims.error = "VolumeBindingMode not set for StorageClass \"" + std::string(name) + "\"";
      return claims;
    }
    (mode == "WaitForFirstConsumer" && !named ? claims.delayed : claims.immediate).push_back(claim);
  }
  return claims;
}

// The amount of a claim, volume or capacity; zero if absent.
api::Quantity amount(View quantity) { return api::Quantity::parse(quantity.text("0")).value(); }

bool reachable(const std::vector<NodeTerm>& terms, const Node& node) {
  // By labels only: upstream passes a node without a name.
  return any_matches(terms, node.labels, {});
}

bool volume_reachable(View volume, const Node& node) {
  const View required = volume["spec"]["nodeAffinity"]["required"];
  return !required.exists() || reachable(read_node_terms(required), node);
}

bool served_by_driver(const InTreeKind& kind, View csi_node) {
  const auto plugins = split(
      csi_node["metadata"]["annotations"]["storage.alpha.kubernetes.io/migrated-plugins"].text(),
      ',');
  return kind.served &&
         std::find(plugins.begin(), plugins.end(), std::string_view(kind.plugin)) != plugins.end();
}

struct Outcome {
  bool bound_fit = true;
  bool bound_exist = true;
  bool delayed_fit = true;
  bool space = true;
  std::string error = {};
};

void check_bound(const World& world, const std::vector<View>& claims, const Node& node,
                 Outcome& outcome) {
  for (const View claim : claims) {
    const View volume = find(world.volumes, claim["spec"]["volumeName"].text());
    if (!volume.exists()) {
      outcome.bound_exist = false;
      return;
    }
    const InTreeKind* kind = in_tree_kind(volume["spec"]);
    bool fits = false;
    if (kind != nullptr && served_by_driver(*kind, find(world.csi_nodes, node.name))) {
      const auto handle = handle_of(*kind, volume["spec"], volume["metadata"]["labels"]);
      if (!handle.problem.empty()) {
        outcome.error = "could not translate pv: " + handle.problem;
        return;
      }
      const auto terms = translated_terms(*kind, volume);
      const bool limited = !terms.empty() || volume["spec"]["nodeAffinity"]["required"].exists();
      fits = !limited || reachable(terms, node);
    } else {
      fits = volume_reachable(volume, node);
    }
    if (!fits) {
      outcome.bound_fit = false;
      return;
    }
  }
}

bool reserved_for(View volume, View claim) {
  const View reference = volume["spec"]["claimRef"];
  const View metadata = claim["metadata"];
  if (!reference.exists()) return false;
  const auto uid = reference["uid"].text();
  return reference["name"].text() == metadata["name"].text() &&
         reference["namespace"].text() == metadata["namespace"].text() &&
         (uid.empty() || uid == metadata["uid"].text());
}

bool has_modes(View volume, View claim) {
  const auto offered = volume["spec"]["accessModes"].items();
  for (const View wanted : claim["spec"]["accessModes"].items()) {
    const bool found = std::any_of(offered.begin(), offered.end(),
                                   [&](View mode) { return mode.text() == wanted.text(); });
    if (!found) return false;
  }
  return true;
}

// Ignoring reservations.
bool suits(View volume, View claim) {
  const View has = volume["spec"];
  const View wants = claim["spec"];
  return amount(has["capacity"]["storage"]) >= amount(wants["resources"]["requests"]["storage"]) &&
         has["volumeMode"].text("Filesystem") == wants["volumeMode"].text("Filesystem") &&
         has["volumeAttributesClassName"].text() == wants["volumeAttributesClassName"].text() &&
         !volume["metadata"]["deletionTimestamp"].exists();
}

// Unreserved and available.
bool is_free(View volume, View claim, const api::LabelSelector& selector) {
  return volume["status"]["phase"].text() == "Available" && has_modes(volume, claim) &&
         selector.matches(volume["metadata"]["labels"]);
}

// The volume reserved for the claim, else the smallest suitable one; absent if there is none.
Result<View> find_volume(const World& world, View claim, const Node& node,
                         const std::set<std::string_view>& taken) {
  api::LabelSelector selector;
  if (claim["spec"]["selector"].exists())
    selector = TRY(api::LabelSelector::from(claim["spec"]["selector"]));
  View smallest;
  for (const View volume : world.volume_list) {
    const bool reserved = volume["spec"]["claimRef"].exists();
    if (storage_class_of(volume) != storage_class_of(claim) || !suits(volume, claim) ||
        taken.contains(volume["metadata"]["name"].text()) ||
        (reserved && !reserved_for(volume, claim)))
      continue;
    const bool here = volume_reachable(volume, node);
    if (reserved) return here ? volume : View();
    if (!here || !is_free(volume, claim, selector)) continue;
    if (!smallest.exists() || amount(volume["spec"]["capacity"]["storage"]) <
                                  amount(smallest["spec"]["capacity"]["storage"]))
      smallest = volume;
  }
  return smallest;
}

bool topology_allows(View storage_class, const Node& node) {
  const View allowed = storage_class["allowedTopologies"];
  if (allowed.empty()) return true;
  for (const View one : allowed.items()) {
    NodeTerm term;
    for (const View expression : one["matchLabelExpressions"].items()) {
      NodeRequirement requirement{.key = std::string(expression["key"].text()), .op = "In"};
      for (const View value : expression["values"].items())
        requirement.values.emplace_back(value.text());
      term.expressions.push_back(std::move(requirement));
    }
    if (reachable({term}, node)) return true;
  }
  return false;
}

bool has_space(const World& world, View claim, View storage_class, const Node& node) {
  const View wanted = claim["spec"]["resources"]["requests"]["storage"];
  const View driver = find(world.csi_drivers, storage_class["provisioner"].text());
  if (!wanted.exists() || !driver["spec"]["storageCapacity"].flag()) return true;
  for (const View capacity : world.csi_capacities) {
    const View maximum = capacity["maximumVolumeSize"];
    const View limit = maximum.exists() ? maximum : capacity["capacity"];
    if (capacity["storageClassName"].text() != storage_class["metadata"]["name"].text()) continue;
    if (!limit.exists() || amount(limit).value() < amount(wanted).value()) continue;
    const auto selector = api::LabelSelector::from(capacity["nodeTopology"]);
    if (selector.ok() && selector->matches(node.labels)) return true;
  }
  return false;
}

void check_provisioning(const World& world, const std::vector<View>& claims, const Node& node,
                        Outcome& outcome) {
  outcome.delayed_fit = true;
  for (const View claim : claims) {
    const View storage_class = find(world.storage_classes, storage_class_of(claim));
    const auto provisioner = storage_class["provisioner"].text();
    if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner" ||
        !topology_allows(storage_class, node)) {
      outcome.delayed_fit = false;
      return;
    }
    if (!has_space(world, claim, storage_class, node)) {
      outcome.space = false;
      return;
    }
  }
}

void check_delayed(const World& world, const std::vector<View>& claims, const Node& node,
                   Outcome& outcome) {
  std::vector<View> to_match;
  std::vector<View> to_provision;
  for (const View claim : claims) {
    const View selected = claim["metadata"]["annotations"][kSelectedNode];
    if (selected.exists() && selected.text() != node.name) {
      outcome.delayed_fit = false;
      return;
    }
    (selected.exists() ? to_provision : to_match).push_back(claim);
  }
  const auto size = [](View claim) {
    return amount(claim["spec"]["resources"]["requests"]["storage"]);
  };
  std::stable_sort(to_match.begin(), to_match.end(),
                   [&](View a, View b) { return size(a) < size(b); });
  std::set<std::string_view> taken;
  for (const View claim : to_match) {
    const auto volume = find_volume(world, claim, node, taken);
    if (!volume.ok()) {
      outcome.error = volume.status().message();
      return;
    }
    if (volume->exists()) {
      taken.insert((*volume)["metadata"]["name"].text());
    } else {
      to_provision.push_back(claim);
    }
  }
  if (!to_provision.empty()) check_provisioning(world, to_provision, node, outcome);
}

std::optional<Rejection> check(const World& world, const Claims& claims, const Node& node) {
  Outcome outcome;
  check_bound(world, claims.bound, node, outcome);
  if (outcome.error.empty()) check_delayed(world, claims.delayed, node, outcome);
  if (!outcome.error.empty()) return Rejection{.error = outcome.error};
  Rejection rejection;
  const auto tell = [&](bool fine, const char* reason) {
    if (!fine) rejection.reasons.emplace_back(reason);
  };
  tell(outcome.bound_fit, "node(s) didn't match PersistentVolume's node affinity");
  tell(outcome.delayed_fit, "node(s) didn't find available persistent volumes to bind");
  tell(outcome.space, "node(s) did not have enough free storage");
  tell(outcome.bound_exist,
       "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  if (rejection.reasons.empty()) return std::nullopt;
  return rejection;
}

}  // namespace oracle_volume_binding

Prepared prepare_volume_binding(const Question& question) {
  bool has_claims = false;
  for (const View volume : question.pod.spec["volumes"].items()) {
    const auto wanted = claim_of(question.pod, volume);
    if (!wanted) continue;
    has_claims = true;
    const auto problem =
        oracle_volume_binding::claim_problem(question.world, question.pod, *wanted);
    if (!problem.empty()) return {.rejection = Rejection{.reasons = {problem}}};
  }
  if (!has_claims) return {};
  const auto claims = oracle_volume_binding::sort_out(question.world, question.pod);
  if (!claims.error.empty()) return {.rejection = Rejection{.error = claims.error}};
  if (!claims.immediate.empty())
    return {.rejection =
                Rejection{.reasons = {"pod has unbound immediate PersistentVolumeClaims"}}};
  return {.filter = [claims, &world = question.world](const Node& node) {
    return oracle_volume_binding::check(world, claims, node);
  }};
}

}  // namespace proa::testkit::oracle
