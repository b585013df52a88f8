#pragma once

#include <string_view>

#include "scheduler/config/read_config.h"
#include "scheduler/cycle/evaluation.h"
#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::testkit {

// The plugins of a configuration over a cluster that the test fills, without an API server.
struct DefaultBench : TestContext {
  explicit DefaultBench(std::string_view config = {}) { make(config); }
  // With a client that has other objects.
  explicit DefaultBench(client::Client& other) : TestContext(other) { make({}); }

  scheduler::Profile& profile() { return *profiles[0]; }
  scheduler::NodeIndex add(const NodeBuilder& node) {
    const api::ObjectPtr object = node.object();
    cluster.put_node(object);
    return *cluster.find(api::NodeNameView(object->metadata().name));
  }
  scheduler::PodPtr add(const PodBuilder& pod) {
    const scheduler::PodPtr made = read(pod);
    cluster.put_pod(made);
    return made;
  }
  scheduler::PodPtr read(const PodBuilder& pod) { return reader.read(pod.object()); }
  // Without cached results.
  scheduler::Evaluation evaluate(const scheduler::Pod& pod) {
    return scheduler::Evaluation(profile(), cluster, nominations, pod);
  }

  std::vector<std::unique_ptr<scheduler::Profile>> profiles;

 private:
  void make(std::string_view config) {
    const scheduler::SchedulerConfig read =
        config.empty() ? scheduler::default_config() : scheduler::read_config(config).value();
    profiles = scheduler::make_profiles(read, scheduler::plugin_table(), context()).value();
    // The first poll lists, the others receive events.
    for (int i = 0; i < 3; ++i) informers.poll();
  }
};

}  // namespace proa::testkit
