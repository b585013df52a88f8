#pragma once

#include "api/schema/builtin.h"
#include "controllers/lifecycle/garbage/collected_resources.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {

// A world without running controllers, and caches that are only updated by look().
struct QuietWorld {
  testkit::TestWorld world{std::vector<ControllerEntry>{}};
  SeededRandom random{1};
  WorkerPool pool{{.max_threads = 0}};
  Informers informers{world.client(), api::builtin_schema(), world.clock(), random};
  client::EventRecorder events{world.client(),
                               world.clock(),
                               pool,
                               *api::builtin_schema().find_resource("", "v1", "events"),
                               {.component = "test", .host = {}}};
  ControllerOptions options;
  CollectedResources resources{{.client = {world.client(), world.clock()},
                                .informers = informers,
                                .events = events,
                                .schema = api::builtin_schema(),
                                .clock = world.clock(),
                                .random = random,
                                .pool = pool,
                                .options = options}};

  // Updates the caches.
  void look() {
    for (int i = 0; i < 3; ++i) informers.poll();
  }
};

}  // namespace proa::controllers
