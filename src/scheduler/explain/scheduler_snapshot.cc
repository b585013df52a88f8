#include "scheduler/explain/scheduler_snapshot.h"

#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"

namespace proa::scheduler {

Onlooker::Onlooker(const Surroundings& surroundings)
    : client_(surroundings.client),
      informers_(client_, surroundings.schema, surroundings.clock, surroundings.random),
      events_(client_, surroundings.clock, pool_,
              *surroundings.schema.find_resource("", "v1", "events"),
              {.component = "explain-pending", .host = {}}),
      budgets_(informers_),
      permits_(surroundings.clock),
      queue_(surroundings.clock, profiles_, {}),
      feed_(cluster_, queue_, nominations_, profiles_) {}

Result<std::unique_ptr<Onlooker>> Onlooker::make(const Surroundings& surroundings,
                                                 const SchedulerConfig& config) {
  std::unique_ptr<Onlooker> made(new Onlooker(surroundings));
  made->feed_.listen(made->informers_, [] {});
  std::vector<std::unique_ptr<Profile>> profiles =
      TRY(make_profiles(config, plugin_table(), made->context(surroundings)));
  made->profiles_.set(std::move(profiles));
  // One look fills all caches: watches of a snapshot have everything at hand.
  made->informers_.poll();
  if (made->client_.failure()) return *made->client_.failure();
  CHECK(made->informers_.synced());
  return made;
}

PluginContext Onlooker::context(const Surroundings& surroundings) {
  return {.client = client_,
          .informers = informers_,
          .events = events_,
          .schema = surroundings.schema,
          .clock = surroundings.clock,
          .random = surroundings.random,
          .pool = pool_,
          .cluster = cluster_,
          .nominations = nominations_,
          .permits = permits_,
          .retry = [](const std::string& /*uid*/) {}};
}

PodPtr Onlooker::find(std::string_view name_space, std::string_view name) {
  const api::ObjectPtr object =
      informers_.of("", "pods").cache().get({std::string(name_space), std::string(name)});
  return object == nullptr ? nullptr : feed_.read(object);
}

}  // namespace proa::scheduler
