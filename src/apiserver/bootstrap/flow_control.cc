#include "apiserver/bootstrap/flow_control.h"

#include <initializer_list>
#include <optional>
#include <set>

#include "apiserver/objects/keys.h"
#include "base/log.h"

namespace proa::apiserver {
namespace flow_control {

using api::Edit;
using api::View;
using Texts = std::vector<std::string_view>;

const Log kLog{"apiserver"};
constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kAutoUpdate = "apf.kubernetes.io/autoupdate-spec";
constexpr std::string_view kManager = "api-priority-and-fairness-config-producer-v1";
constexpr std::string_view kExempt = "exempt";
constexpr std::string_view kCatchAll = "catch-all";

// Excess requests are queued, or rejected if there are no queues.
struct Level {
  std::string_view name;
  int shares;
  int lendable_percent;
  int queues;
  int hand_size;
};

constexpr int kQueueLength = 50;
constexpr Level kLevels[] = {
    {"system", 30, 33, 64, 6},         {"node-high", 40, 25, 64, 6},
    {"leader-election", 10, 0, 16, 4}, {"workload-high", 40, 50, 128, 6},
    {"workload-low", 100, 90, 128, 6}, {"global-default", 20, 50, 128, 6},
    {"catch-all", 5, 0, 0, 0},
};

struct ResourceRule {
  Texts verbs = {"*"};
  Texts groups = {"*"};
  Texts resources = {"*"};
  bool cluster_scope = true;
};

struct PathRule {
  Texts verbs = {"*"};
  Texts paths = {"*"};
};

// Subjects: "group:NAME", "user:NAME", or "account:NAME" in kube-system.
struct Schema {
  std::string_view name;
  std::string_view level;
  int precedence;
  std::string_view distinguisher;  // how flows are distinguished; empty: not
  Texts subjects;
  std::vector<ResourceRule> resources = {{}};
  std::vector<PathRule> paths = {{}};
};

std::vector<Schema> all_schemas() {
  const Texts anybody = {"group:system:unauthenticated", "group:system:authenticated"};
  const Texts nodes = {"group:system:nodes"};
  const ResourceRule leases{.verbs = {"*"},
                            .groups = {"coordination.k8s.io"},
                            .resources = {"leases"},
                            .cluster_scope = false};
  ResourceRule elections = leases;
  elections.verbs = {"get", "create", "update"};
  return {
      {"exempt", "exempt", 1, "", {"group:system:masters"}},
      {"probes", "exempt", 2, "", anybody, {}, {{{"get"}, {"/healthz", "/readyz", "/livez"}}}},
      {"system-leader-election",
       "leader-election",
       100,
       "ByUser",
       {"user:system:kube-controller-manager", "user:system:kube-scheduler", "account:*"},
       {elections},
       {}},
      {"system-node-high",
       "node-high",
       400,
       "ByUser",
       nodes,
       {{.groups = {""}, .resources = {"nodes", "nodes/status"}}, leases},
       {}},
      {"system-nodes", "system", 500, "ByUser", nodes},
      {"kube-controller-manager",
       "workload-high",
       800,
       "ByNamespace",
       {"user:system:kube-controller-manager"}},
      {"kube-scheduler", "workload-high", 800, "ByNamespace", {"user:system:kube-scheduler"}},
      {"kube-system-service-accounts", "workload-high", 900, "ByNamespace", {"account:*"}},
      {"service-accounts", "workload-low", 9000, "ByUser", {"group:system:serviceaccounts"}},
      {"global-default", "global-default", 9900, "ByUser", anybody},
      {"catch-all", "catch-all", 10000, "ByUser", anybody},
  };
}

json::Document named(std::string_view name) {
  json::Document document({}, json::Value::object());
  const Edit metadata = Edit(document).object("metadata");
  metadata.set("name", name);
  metadata.object("annotations").set(kAutoUpdate, "true");
  return document;
}

void set_texts(Edit object, std::string_view name, const Texts& texts) {
  const Edit list = object.array(name);
  for (const std::string_view text : texts) {
    list.push(json::Value::string(list.arena(), text));
  }
}

json::Document exempt_level() {
  json::Document document = named(kExempt);
  const Edit spec = Edit(document).object("spec");
  spec.set("type", "Exempt");
  const Edit exempt = spec.object("exempt");
  exempt.set("nominalConcurrencyShares", 0);
  exempt.set("lendablePercent", 0);
  return document;
}

json::Document level(const Level& row) {
  json::Document document = named(row.name);
  const Edit spec = Edit(document).object("spec");
  spec.set("type", "Limited");
  const Edit limited = spec.object("limited");
  limited.set("nominalConcurrencyShares", row.shares);
  limited.set("lendablePercent", row.lendable_percent);
  const Edit response = limited.object("limitResponse");
  response.set("type", row.queues == 0 ? "Reject" : "Queue");
  if (row.queues == 0) return document;
  const Edit queuing = response.object("queuing");
  queuing.set("queues", row.queues);
  queuing.set("handSize", row.hand_size);
  queuing.set("queueLengthLimit", kQueueLength);
  return document;
}

void set_subject(Edit subject, std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view name = text.substr(colon + 1);
  if (kind == "account") {
    subject.set("kind", "ServiceAccount");
    const Edit account = subject.object("serviceAccount");
    account.set("namespace", "kube-system");
    account.set("name", name);
    return;
  }
  subject.set("kind", kind == "group" ? "Group" : "User");
  subject.object(kind).set("name", name);
}

// Their levels are created with them: the server need not write it after each first start.
void set_status(Edit object, std::string_view level, Time now) {
  const Edit condition = object.object("status").array("conditions").push_object();
  condition.set("type", "Dangling");
  condition.set("status", "False");
  condition.set("lastTransitionTime", format_time(now));
  condition.set("reason", "Found");
  condition.set("message",
                "This FlowSchema references the PriorityLevelConfiguration object named \"" +
                    std::string(level) + "\" and it exists");
}

json::Document schema(const Schema& row, Time now) {
  json::Document document = named(row.name);
  set_status(Edit(document), row.level, now);
  const Edit spec = Edit(document).object("spec");
  spec.object("priorityLevelConfiguration").set("name", row.level);
  spec.set("matchingPrecedence", row.precedence);
  if (!row.distinguisher.empty()) {
    spec.object("distinguisherMethod").set("type", row.distinguisher);
  }
  const Edit rule = spec.array("rules").push_object();
  const Edit subjects = rule.array("subjects");
  for (const std::string_view subject : row.subjects) set_subject(subjects.push_object(), subject);
  // Only lists that are not empty: stored objects have no others, and are compared with this.
  for (const ResourceRule& resource : row.resources) {
    const Edit item = rule.array("resourceRules").push_object();
    set_texts(item, "verbs", resource.verbs);
    set_texts(item, "apiGroups", resource.groups);
    set_texts(item, "resources", resource.resources);
    if (resource.cluster_scope) item.set("clusterScope", true);
    set_texts(item, "namespaces", {"*"});
  }
  for (const PathRule& path : row.paths) {
    const Edit item = rule.array("nonResourceRules").push_object();
    set_texts(item, "verbs", path.verbs);
    set_texts(item, "nonResourceURLs", path.paths);
  }
  return document;
}

// As Go parses a bool.
std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

// Users may choose the shares of the exempt level.
bool is_exempt_level(View spec) {
  return spec["type"].text() == "Exempt" && spec["exempt"] && !spec["limited"];
}

bool has_wanted_spec(View stored, View wanted) {
  if (is_exempt_level(wanted["spec"])) return is_exempt_level(stored["spec"]);
  return stored["spec"] == wanted["spec"];
}

// Resets the spec of an object that updates itself, and notes whether it does: the annotation
// decides, or that the object was never changed. Mandatory objects always do.
void revise(Edit stored, View wanted, bool mandatory) {
  const View metadata = stored["metadata"];
  const auto annotated = parse_bool(metadata["annotations"][kAutoUpdate].text());
  const bool updates = mandatory || annotated.value_or(metadata["generation"].integer() == 1);
  if (annotated != updates) {
    stored.object("metadata").object("annotations").set(kAutoUpdate, updates ? "true" : "false");
  }
  if (updates && !has_wanted_spec(stored.view(), wanted)) stored.copy("spec", wanted["spec"]);
}

void add(const api::Resource& resource, std::string_view name, json::Document document,
         std::vector<Wanted>& objects) {
  const bool mandatory = name == kExempt || name == kCatchAll;
  objects.push_back(
      {.resource = resource,
       .document = std::move(document),
       .manager = kManager,
       .revise = [mandatory](Edit stored, View wanted) { revise(stored, wanted, mandatory); }});
}

Result<void> remove_unwanted(const ApiContext& context, const api::Resource& resource,
                             const std::set<std::string, std::less<>>& wanted) {
  const store::RangeResult stored =
      TRY(context.store.range({.keys = store::KeyRange::prefix(prefix_of(resource, ""))}));
  for (const store::EntryPtr& entry : stored.entries) {
    if (wanted.contains(entry->key())) continue;
    const json::Document document = TRY(object_in(*entry).document());
    const View metadata = View(document.root())["metadata"];
    if (!parse_bool(metadata["annotations"][kAutoUpdate].text()).value_or(false)) continue;
    if (metadata["finalizers"].size() > 0) continue;
    store::Txn txn;
    txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
    txn.operations.push_back(store::Delete{std::string(entry->key())});
    const store::Committed committed =
        TRY(context.store.commit(std::move(txn), store::Durability::kSynced));
    if (committed.succeeded)
      kLog.info("removed an object that is not suggested any more", {{"key", entry->key()}});
  }
  return {};
}

}  // namespace flow_control

Result<void> remove_unwanted_flow_control(const ApiContext& context) {
  std::vector<Wanted> objects;
  add_flow_control(context.schema, context.clock.now(), objects);
  std::set<std::string, std::less<>> wanted;
  for (const Wanted& object : objects) wanted.insert(object.key());
  // Schemas first: they refer to levels.
  for (const char* name : {"flowschemas", "prioritylevelconfigurations"}) {
    const api::Resource& resource = *context.schema.find_resource(flow_control::kGroup, "v1", name);
    TRY(flow_control::remove_unwanted(context, resource, wanted));
  }
  return {};
}

void add_flow_control(const api::Schema& schema, Time now, std::vector<Wanted>& objects) {
  const api::Resource& levels =
      *schema.find_resource(flow_control::kGroup, "v1", "prioritylevelconfigurations");
  const api::Resource& schemas = *schema.find_resource(flow_control::kGroup, "v1", "flowschemas");
  flow_control::add(levels, flow_control::kExempt, flow_control::exempt_level(), objects);
  for (const flow_control::Level& row : flow_control::kLevels) {
    flow_control::add(levels, row.name, flow_control::level(row), objects);
  }
  for (const flow_control::Schema& row : flow_control::all_schemas()) {
    flow_control::add(schemas, row.name, flow_control::schema(row, now), objects);
  }
}

}  // namespace proa::apiserver
