#include "sim/cluster.h"

#include "base/log.h"
#include "controllers/controllers.h"
#include "json/parse.h"

namespace proa::sim {
namespace cluster {

const Log kLog{"sim"};

void tell(std::string_view verb, std::string_view resource, std::string_view what, bool done) {
  kLog.info("user", {{"does", verb}, {"resource", resource}, {"what", what}, {"done", done}});
}

std::vector<controllers::ControllerEntry> all() {
  std::vector<controllers::ControllerEntry> entries;
  for (const auto table : {controllers::all_controllers(), controllers::api_server_controllers()})
    entries.insert(entries.end(), table.begin(), table.end());
  return entries;
}

}  // namespace cluster

Cluster::Cluster(uint64_t seed)
    : random_(seed),
      world_({.entries = cluster::all(),
              .seed = seed + 1'000'000'007,
              .between = [this](std::unique_ptr<client::Client> client) {
                return faults_.around(std::move(client));
              }}) {}

void Cluster::step() {
  world_.controllers().step_some(random_);
  if (faults_.crashed()) kill();
}

void Cluster::kill() {
  faults_.revive();
  world_.restart();
}

void Cluster::settle() {
  world_.settle();
  if (!faults_.crashed()) return;
  kill();
  world_.settle();
}

void Cluster::pass(Duration time) { world_.pass(time); }

bool Cluster::create(std::string_view group, std::string_view resource, std::string json) {
  const bool done =
      world_.client()
          .create(world_.place(group, resource, kNamespace, ""), json::parse_literal(json), {}, {})
          .ok();
  cluster::tell("create", resource, json, done);
  return done;
}

bool Cluster::patch(std::string_view group, std::string_view resource, std::string_view name,
                    std::string json) {
  const bool done = world_.client()
                        .patch(world_.place(group, resource, kNamespace, name),
                               api::PatchType::kMerge, json::parse_literal(json), {}, {})
                        .ok();
  cluster::tell("patch", resource, std::string(name) + " " + json, done);
  return done;
}

bool Cluster::remove(std::string_view group, std::string_view resource, std::string_view name,
                     api::Propagation propagation) {
  const bool done =
      world_.client()
          .remove(world_.place(group, resource, kNamespace, name), {.propagation = propagation}, {})
          .ok();
  cluster::tell("remove", resource, name, done);
  return done;
}

std::vector<api::ObjectPtr> Cluster::list(std::string_view group, std::string_view resource) {
  return world_.list(group, resource, kNamespace);
}

api::ObjectPtr Cluster::get(std::string_view group, std::string_view resource,
                            std::string_view name) {
  return world_.get(group, resource, kNamespace, name);
}

}  // namespace proa::sim
