#include "scheduler/explain/scheduler_snapshot.h"

#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"

namespace proa::scheduler {

SchedulerSnapshot::SchedulerSnapshot(const SchedulerContext& context)
    : client_(context.client),
      informers_(client_, context.schema, context.clock, context.random),
      events_(client_, context.clock, pool_, *context.schema.find_resource("", "v1", "events"),
              {.component = "explain-pending", .host = {}}),
      budgets_(informers_),
      permits_(context.clock),
      queue_(context.clock, profiles_, {}),
      event_handlers_(cluster_, queue_, nominations_, profiles_) {}

Result<std::unique_ptr<SchedulerSnapshot>> SchedulerSnapshot::make(const SchedulerContext& context,
                                                                   const SchedulerConfig& config) {
  std::unique_ptr<SchedulerSnapshot> made(new SchedulerSnapshot(context));
  made->event_handlers_.listen(made->informers_, [] {});
  std::vector<std::unique_ptr<Profile>> profiles =
      TRY(make_profiles(config, plugin_table(), made->plugin_context(context)));
  made->profiles_.set(std::move(profiles));
  // One poll fills all caches: watches of a snapshot return everything at once.
  made->informers_.poll();
  if (made->client_.failure()) return *made->client_.failure();
  CHECK(made->informers_.synced());
  return made;
}

PluginContext SchedulerSnapshot::plugin_context(const SchedulerContext& context) {
  return {.client = {client_, context.clock},
          .informers = informers_,
          .events = events_,
          .schema = context.schema,
          .clock = context.clock,
          .random = context.random,
          .pool = pool_,
          .cluster = cluster_,
          .nominations = nominations_,
          .permits = permits_,
          .retry = [](const api::Uid& /*uid*/) {}};
}

PodPtr SchedulerSnapshot::find(std::string_view name_space, std::string_view name) {
  const api::ObjectPtr object =
      informers_.of("", "pods").cache().get({std::string(name_space), std::string(name)});
  return object == nullptr ? nullptr : event_handlers_.read(object);
}

}  // namespace proa::scheduler
