#include "testkit/scheduler/scheduler_world.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "controllers/controllers.h"
#include "json/print.h"
#include "scheduler/config/read_config.h"
#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"
#include "testkit/controllers/test_nodes.h"

namespace proa::testkit {
namespace scheduler_world {

TestWorld::Options world_options(const SchedulerWorld::Options& options) {
  TestWorld::Options world;
  world.seed = options.seed;
  for (const controllers::ControllerEntry& entry : controllers::all_controllers()) {
    const auto& names = options.controllers;
    if (std::find(names.begin(), names.end(), entry.name) != names.end()) {
      world.entries.push_back(entry);
    }
  }
  return world;
}

api::View spec_of(const json::Document& document) { return api::View(document.root())["spec"]; }
api::View status_of(const json::Document& document) { return api::View(document.root())["status"]; }

// As sent by clients: without server-set fields.
std::string without_server_fields(json::Document document) {
  const api::Edit metadata = api::Edit(document).object("metadata");
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp"}) metadata.remove(field);
  return json::print(document.root());
}

}  // namespace scheduler_world

// Records writes, and fails them on request.
class SchedulerWorld::WatchedClient final : public client::Client {
 public:
  WatchedClient(SchedulerWorld& world, std::unique_ptr<client::Client> client)
      : world_(world), client_(std::move(client)) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    return client_->get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return client_->list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    return client_->watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    TRY(ask("create", place));
    return client_->create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    TRY(ask("update", place));
    return client_->update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    TRY(ask("patch", place));
    return client_->patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    TRY(ask("remove", place));
    return client_->remove(place, choices, until);
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    TRY(ask("remove_collection", place));
    return client_->remove_collection(place, query, choices, until);
  }

 private:
  Result<void> ask(std::string_view how, const client::Place& place) {
    if (place.resource->name == "events") return {};
    const std::string write = std::string(how) + " " + client::describe(place);
    world_.writes_.push_back(write);
    const Fault fault = world_.fault_;  // it may replace itself
    return fault ? fault(write) : Result<void>();
  }

  SchedulerWorld& world_;
  const std::unique_ptr<client::Client> client_;
};

SchedulerWorld::SchedulerWorld(Options options)
    : options_(std::move(options)),
      api_(scheduler_world::world_options(options_)),
      random_(options_.seed),
      client_(
          std::make_unique<WatchedClient>(*this, api_.client_as({.name = "system:kube-scheduler",
                                                                 .uid = {},
                                                                 .groups = {"system:authenticated"},
                                                                 .extra = {}}))) {
  if (api_.get("", "namespaces", "", "default") == nullptr) {
    api_.create("", "namespaces", "", R"({"metadata":{"name":"default"}})");
  }
  start();
}

SchedulerWorld::~SchedulerWorld() { scheduler_.reset(); }

void SchedulerWorld::start() {
  scheduler::SchedulerOptions options;
  options.make_profiles = [this](const scheduler::PluginContext& context) {
    const scheduler::SchedulerConfig config = options_.config.empty()
                                                  ? scheduler::default_config()
                                                  : scheduler::read_config(options_.config).value();
    return scheduler::make_profiles(config, scheduler::plugin_table(), context);
  };
  scheduler_ = scheduler::Scheduler::make({.client = *client_,
                                           .schema = api::builtin_schema(),
                                           .clock = api_.clock(),
                                           .random = random_,
                                           .pool = pool_},
                                          options)
                   .value();
}

void SchedulerWorld::restart() {
  scheduler_.reset();
  start();
}

void SchedulerWorld::add(const NodeBuilder& node) {
  const api::ObjectPtr object = node.object();
  const json::Document document = object->document().value();
  const std::string name(object->metadata().name);
  api_.create("", "nodes", "", scheduler_world::without_server_fields(object->document().value()));
  // The server taints every new node until its kubelet reports that it is ready.
  const api::View taints = scheduler_world::spec_of(document)["taints"];
  api_.patch("", "nodes", "", name,
             R"({"spec":{"taints":)" +
                 (taints ? json::print(*taints.value()) : std::string("null")) + "}}");
  const api::View status = scheduler_world::status_of(document);
  if (!status) return;
  api_.patch("", "nodes", "", name, R"({"status":)" + json::print(*status.value()) + "}", "status");
}

std::string SchedulerWorld::class_for(api::View spec) {
  const int64_t priority = spec["priority"].integer();
  const bool never = spec["preemptionPolicy"].text() == "Never";
  const std::string name = std::string(never ? "never" : "may") + (priority < 0 ? "-minus-" : "-") +
                           std::to_string(std::abs(priority));
  if (api_.get("scheduling.k8s.io", "priorityclasses", "", name) == nullptr) {
    api_.create("scheduling.k8s.io", "priorityclasses", "",
                R"({"metadata":{"name":")" + name + R"("},"value":)" + std::to_string(priority) +
                    R"(,"preemptionPolicy":")" + (never ? "Never" : "PreemptLowerPriority") +
                    R"("})");
  }
  return name;
}

void SchedulerWorld::add(const PodBuilder& pod) {
  const api::ObjectPtr object = pod.object();
  json::Document document = object->document().value();
  const api::View spec = scheduler_world::spec_of(document);
  if (spec["priority"].integer() != 0 || spec["preemptionPolicy"].text() == "Never") {
    const std::string name = class_for(spec);
    api::Edit(document).object("spec").set("priorityClassName", name);
  }
  const api::Edit edit = api::Edit(document).object("spec");
  edit.remove("priority");
  edit.remove("preemptionPolicy");
  const std::string name_space(object->metadata().name_space);
  const std::string name(object->metadata().name);
  api_.create("", "pods", name_space, scheduler_world::without_server_fields(std::move(document)));
  const json::Document whole = object->document().value();
  const api::View status = scheduler_world::status_of(whole);
  if (status.size() == 0 || (status.size() == 1 && status["phase"].text() == "Pending")) return;
  api_.patch("", "pods", name_space, name, R"({"status":)" + json::print(*status.value()) + "}",
             "status");
}

void SchedulerWorld::add(const BudgetBuilder& budget) {
  const api::ObjectPtr object = budget.object();
  const json::Document document = object->document().value();
  const std::string name(object->metadata().name);
  api_.create("policy", "poddisruptionbudgets", "default",
              scheduler_world::without_server_fields(object->document().value()));
  api_.patch("policy", "poddisruptionbudgets", "default", name,
             R"({"status":)" + json::print(*scheduler_world::status_of(document).value()) + "}",
             "status");
}

void SchedulerWorld::remove_pod(std::string_view name) {
  CHECK(
      api_.client().remove(api_.place("", "pods", "default", name), {.grace_seconds = 0}, {}).ok());
}

void SchedulerWorld::delete_pod(std::string_view name) { api_.remove("", "pods", "default", name); }

std::string SchedulerWorld::node_of(std::string_view name) {
  const api::ObjectPtr object = pod(name);
  if (object == nullptr) return "gone";
  const json::Document document = object->document().value();
  return std::string(scheduler_world::spec_of(document)["nodeName"].text());
}

std::string SchedulerWorld::nominated(std::string_view name) {
  const json::Document document = pod(name)->document().value();
  return std::string(scheduler_world::status_of(document)["nominatedNodeName"].text());
}

bool SchedulerWorld::is_terminating(std::string_view name) {
  const api::ObjectPtr object = pod(name);
  return object != nullptr && object->metadata().being_deleted;
}

std::string SchedulerWorld::condition(std::string_view name, std::string_view type) {
  return condition_text(pod(name), type);
}

std::string SchedulerWorld::events(std::string_view about) { return TestNodes(api_).events(about); }

size_t SchedulerWorld::settle() {
  size_t all = 0;
  for (int quiet = 0; quiet < 3;) {
    const size_t before = writes_.size();
    size_t worked = api_.settle();
    worked += scheduler_->step();
    all += worked;
    CHECK(all < 100'000);  // otherwise it retries one pod forever
    quiet = worked == 0 && writes_.size() == before ? quiet + 1 : 0;
  }
  return all;
}

void SchedulerWorld::pass(Duration time) {
  const Steady end = api_.clock().steady() + time;
  settle();
  while (true) {
    const Steady due = std::min(scheduler_->next_due(), api_.controllers().next_due());
    if (due > end) break;
    if (due > api_.clock().steady()) api_.wait(due - api_.clock().steady());
    settle();
  }
  api_.wait(end - api_.clock().steady());
  settle();
}

}  // namespace proa::testkit
